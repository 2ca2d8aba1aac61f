import { expect, it } from 'vitest';

import { SeededRandom } from '../../../test/support/random.ts';
import { beforeNewest, countSlots, lastSlot } from './count-slots.ts';
import { type SlotRule, slotAfter } from './cron.ts';

const dayMs = 86_400_000;

const rules: SlotRule[] = [
  '30 2 * * *',
  '*/30 * * * *',
  '0,15,45 1-3 * * *',
  '*/20 59 23 28-31 feb-apr,10 *',
  '* * 2 * * sun',
  '0 0 29 2 *',
].flatMap((cron) =>
  ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'UTC'].map((timezone) => ({
    cron,
    everyMs: null,
    timezone,
  })),
);

function walk(rule: SlotRule, after: number, to: number): number[] {
  const slots: number[] = [];
  for (
    let slot = slotAfter(rule, 'UTC', after);
    slot !== null && slot <= to;
    slot = slotAfter(rule, 'UTC', slot)
  )
    slots.push(slot);
  return slots;
}

it.each([...rules, { cron: null, everyMs: 1_234_000, timezone: null }])(
  'counts the slots of $cron $timezone as a walk from slot to slot does',
  (rule) => {
    const random = new SeededRandom();
    for (let round = 0; round < 20; round++) {
      // The clocks of these zones change in this time.
      const after = Date.parse('2026-03-26') + random.between(0, 12 * dayMs);
      const to = after + random.between(0, random.pick([dayMs / 24, 3 * dayMs, 30 * dayMs]));
      const slots = walk(rule, after, to);
      const what = `from ${after} to ${to}, seed ${random.seed}`;
      expect(countSlots(rule, 'UTC', after, to), what).toBe(slots.length);
      expect(lastSlot(rule, 'UTC', after, to), what).toBe(slots.at(-1) ?? null);
      const newest = beforeNewest(rule, 'UTC', { after, to, count: 10 });
      expect(walk(rule, newest, to), what).toEqual(slots.slice(-10));
    }
  },
);

it('counts the seconds of seventy years without a step for each', () => {
  const [after, to] = ['2026-01-01', '2096-01-01'].map((day) => Date.parse(day));
  if (after === undefined || to === undefined) throw new Error('unreachable');
  const rule = { cron: '* * * * * *', everyMs: null, timezone: 'Asia/Shanghai' };
  expect(countSlots(rule, 'UTC', after, to)).toBe((to - after) / 1000);
});
