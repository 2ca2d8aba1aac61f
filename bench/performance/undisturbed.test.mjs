import { setTimeout as wait } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { disturbances, Undisturbed } from './undisturbed.mjs';

/** Lets the watch begin, then holds this process up as a busy machine would. */
async function heldUp(ms) {
  await wait(30);
  const until = performance.now() + ms;
  while (performance.now() < until);
  await wait(30);
}

it('a turn in which the machine was held up is taken again', async () => {
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

it('but only so often, in all; then it is told as it was', async () => {
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
