import { expect, it } from 'vitest';

import { readWaitMs } from './runs.ts';

it.each([
  [null, 0],
  ['0', 0],
  ['30', 30_000],
  ['0.25', 250],
  ['300', 300_000],
  ['300.0', 300_000],
])('reads a wait of %s as %i ms', (wait, ms) => {
  expect(readWaitMs(wait)).toBe(ms);
});

it.each(['-1', '301', '300.001', '1e2', '0x10', 'NaN', 'Infinity', '30s', ' 30', '.5'])(
  'refuses a wait of %j and names the range',
  (wait) => {
    expect(() => readWaitMs(wait)).toThrow(/from 0 to 300/);
  },
);
