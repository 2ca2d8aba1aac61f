import { expect, it } from 'vitest';

import { slotLines } from './slot-times.ts';

const now = new Date(2026, 10, 19, 12, 0, 0);

it('shows slots in local time, with the distance from now', () => {
  const slots = [
    new Date(2026, 10, 19, 12, 1, 30),
    new Date(2026, 10, 19, 13, 30, 0),
    new Date(2026, 10, 21, 11, 0, 0),
    new Date(2026, 10, 22, 12, 0, 0),
  ].map((date) => date.toISOString());
  expect(slotLines(slots, now)).toEqual([
    'Thu 2026-11-19 12:01:30  in 90 seconds',
    'Thu 2026-11-19 13:30:00  in 90 minutes',
    'Sat 2026-11-21 11:00:00  in 47 hours',
    'Sun 2026-11-22 12:00:00  in 3 days',
  ]);
});

it('leaves out seconds that are all zero', () => {
  expect(slotLines([new Date(2027, 0, 1, 2, 30).toISOString()], now)).toEqual([
    'Fri 2027-01-01 02:30  in 43 days',
  ]);
});
