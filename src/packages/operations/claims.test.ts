import { expect, it } from 'vitest';

import { Claims } from './claims.ts';

it('a package is with one at a time, and free again once it was given back', () => {
  const claims = new Claims();
  const release = claims.take('a');
  claims.take('b');
  expect(() => claims.take('a')).toThrow(expect.objectContaining({ code: 'package-busy' }));
  release();
  const again = claims.take('a');
  // Giving back twice takes it from nobody else.
  release();
  expect(() => claims.take('a')).toThrow();
  again();
  claims.take('a');
});

it('cleaning up keeps away from a package that somebody works on', async () => {
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

it('who takes a package that is being cleaned up is not refused, but waits for the end of that', async () => {
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
