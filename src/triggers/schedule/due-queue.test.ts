import { expect, it } from 'vitest';

import { SeededRandom } from '../../../test/support/random.ts';
import { DueQueue } from './due-queue.ts';

it('returns items in the order in which they are due, each at its last time', () => {
  const random = new SeededRandom();
  const queue = new DueQueue<number>();
  const expected = new Map<number, number>();
  for (let step = 0; step < 20_000; step++) {
    const item = random.between(0, 300);
    const dueAt = random.between(0, 10_000);
    queue.set(item, dueAt);
    expected.set(item, dueAt);
    if (step % 500 > 0) continue;
    const now = random.between(0, 10_000);
    const due = [...expected].filter(([, at]) => at <= now);
    const taken = queue.takeDue(now);
    expect([...taken].sort((a, b) => a - b)).toEqual(due.map(([one]) => one).sort((a, b) => a - b));
    const times = taken.map((one) => expected.get(one) ?? 0);
    expect(times, `seed ${random.seed}`).toEqual([...times].sort((a, b) => a - b));
    for (const one of taken) expected.delete(one);
    expect(queue.firstDue).toBe(expected.size === 0 ? null : Math.min(...expected.values()));
  }
});

it('knows when an item is due', () => {
  const queue = new DueQueue<string>();
  expect([queue.firstDue, queue.dueOf('a')]).toEqual([null, null]);
  queue.set('a', 7);
  queue.set('a', 9);
  expect([queue.firstDue, queue.dueOf('a')]).toEqual([9, 9]);
  expect(queue.takeDue(8)).toEqual([]);
  expect(queue.takeDue(9)).toEqual(['a']);
});
