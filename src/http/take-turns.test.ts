import { setImmediate as setImmediateCallback } from 'node:timers';
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
  expect(begun).toEqual([0, 1, 2]);
  turns.take(() => begun.push(5));
  expect(begun).toEqual([0, 1, 2]);
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3]);
  await setImmediate();
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

it('of those that wait, one is begun in each turn: what it does in the end is done before the next', async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const done: string[] = [];
  for (const request of ['first', 'second', 'third'])
    turns.take(() => {
      now += 20;
      process.nextTick(() => done.push(request));
    });
  setImmediateCallback(() => done.push('somebody else'));
  while (!done.includes('third')) await setImmediate();
  expect(done).toEqual(['first', 'second', 'somebody else', 'third']);
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
