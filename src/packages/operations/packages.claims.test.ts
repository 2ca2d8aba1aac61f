import { expect, it } from 'vitest';

import { Claims } from './packages.ts';

it('allows one claim per package at a time, until it is released', () => {
  const claims = new Claims();
  const release = claims.take('a');
  claims.take('b');
  expect(() => claims.take('a')).toThrow(expect.objectContaining({ code: 'package-busy' }));
  release();
  const again = claims.take('a');
  // A second release does not end the claim of another owner.
  release();
  expect(() => claims.take('a')).toThrow();
  again();
  claims.take('a');
});

it('does not clean up a package that is claimed', async () => {
  const claims = new Claims();
  const release = claims.take('a');
  let cleaned = 0;
  const work = async () => {
    cleaned++;
  };
  await claims.clean('a', work);
  expect(cleaned).toBe(0);
  release();
  await claims.clean('a', work);
  expect(cleaned).toBe(1);
});

it('allows a claim during a cleanup, whose end can be awaited', async () => {
  const claims = new Claims();
  const steps: string[] = [];
  let goOn = () => {};
  const cleaning = claims.clean('a', async () => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    steps.push('cleaned');
    throw new Error('not all of it');
  });
  claims.take('a');
  const settled = claims.settled('a').then(() => steps.push('settled'));
  goOn();
  await expect(cleaning).rejects.toThrow('not all');
  await settled;
  expect(steps).toEqual(['cleaned', 'settled']);
  await claims.settled('a');
});
