import { setImmediate } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { Turns } from './take-turns.ts';

it('what comes at once is begun in its order, a part in each turn, and others have theirs in between', async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const begun: number[] = [];
  for (let request = 0; request < 5; request++)
    turns.take(() => {
      begun.push(request);
      now += 7;
    });
  expect(begun).toEqual([0, 1]);
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3]);
  turns.take(() => begun.push(5));
  expect(begun).toEqual([0, 1, 2, 3]);
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

it('what comes alone is begun at once, however long the last one took', async () => {
  let now = 0;
  const turns = new Turns(() => now);
  turns.take(() => (now += 100));
  await setImmediate();
  let isBegun = false;
  turns.take(() => (isBegun = true));
  expect(isBegun).toBe(true);
});
