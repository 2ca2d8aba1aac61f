import { setImmediate as setImmediateCallback } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { Turns } from './turns.ts';

/** How many of seven requests were begun after each turn of the event loop in which some were. */
async function begunAfterTurns(ms: number, { isBusy, isLate }: { isBusy: boolean; isLate: boolean }) {
  let now = 0;
  const turns = new Turns(() => now);
  if (isBusy) turns.take(() => (now += 100));
  const begun: number[] = [];
  const work = () => (now += ms);
  for (let request = 0; request < 7; request++)
    turns.take(() => {
      begun.push(request);
      if (isLate) process.nextTick(work);
      else work();
    });
  const counts = [begun.length];
  while (begun.length < 7) {
    await setImmediate();
    if (begun.length > (counts.at(-1) ?? 0)) counts.push(begun.length);
  }
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  return counts;
}

it('what comes at once is begun in its order, a part in each turn', async () => {
  expect(await begunAfterTurns(5, { isBusy: false, isLate: false })).toEqual([3, 6, 7]);
  expect(await begunAfterTurns(30, { isBusy: false, isLate: false })).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('of those that wait as many are begun in a turn as there is time for, with all that they do a little later', async () => {
  expect(await begunAfterTurns(5, { isBusy: true, isLate: true })).toEqual([0, 3, 6, 7]);
});

it('who comes while others wait, waits behind them; and everybody else has a turn in between', async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const done: string[] = [];
  const request = (name: string) => () => {
    now += 20;
    process.nextTick(() => done.push(name));
  };
  for (const name of ['first', 'second', 'third']) turns.take(request(name));
  const elsewhere = () => {
    done.push('somebody else');
    if (!done.includes('last')) setImmediateCallback(elsewhere);
  };
  setImmediateCallback(elsewhere);
  await setImmediate();
  turns.take(request('last'));
  while (!done.includes('last')) await setImmediate();
  expect(done.filter((name) => name !== 'somebody else')).toEqual(['first', 'second', 'third', 'last']);
  expect(done.join()).toMatch(/second,(somebody else,)+third,(somebody else,)+last/);
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

it('what comes with something else waits for the next turn, and all of it can be begun before', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  turns.take(() => begun.push(1));
  turns.takeNext(() => begun.push(2));
  turns.take(() => begun.push(3));
  expect(begun).toEqual([1]);
  while (begun.length < 3) await setImmediate();
  turns.takeNext(() => begun.push(4));
  turns.takeNext(() => begun.push(5));
  turns.takeAll();
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  await setImmediate();
  expect(begun).toHaveLength(5);
});
