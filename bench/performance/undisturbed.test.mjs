import { setTimeout as wait } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { disturbances, Undisturbed } from './undisturbed.mjs';

/** Lets the sampling begin, then blocks this process as a busy machine would. */
async function heldUp(ms) {
  await wait(30);
  const until = performance.now() + ms;
  while (performance.now() < until);
  await wait(30);
}

it('repeats a turn during which the machine was disturbed', async () => {
  const undisturbed = new Undisturbed({ again: 100 });
  let turns = 0;
  const { seen, idleMs, isDisturbed } = await undisturbed.take(async () => {
    turns += 1;
    await heldUp(turns === 1 ? 300 : 0);
    return turns;
  });
  expect(seen).toBeGreaterThanOrEqual(2);
  expect(idleMs).toBeLessThanOrEqual(40);
  expect(isDisturbed).toBe(false);
  expect(disturbances).toEqual({ turns: 1, again: turns - 1, leftOut: 0 });
});

it('returns a disturbed turn once the number of repetitions is used up', async () => {
  const undisturbed = new Undisturbed({ again: 2 });
  const before = { ...disturbances };
  for (const turns of [1, 2]) {
    const { idleMs, isDisturbed } = await undisturbed.take(() => heldUp(300));
    expect(idleMs).toBeGreaterThan(200);
    expect(isDisturbed).toBe(true);
    expect(disturbances.turns - before.turns).toBe(turns);
    expect(disturbances.again - before.again).toBe(2);
  }
});
