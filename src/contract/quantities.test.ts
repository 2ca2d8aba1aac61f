import { expect, it } from 'vitest';

import { describeDuration, formatBytes, formatClock, formatRate, formatShortDuration } from './quantities.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1023, '1.0 kB'],
  [99_900, '99.9 kB'],
  [99_960, '100 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [12_345_678, '12.3 MB'],
  [2_900_000_000, '2.9 GB'],
  [345_000_000_000, '345 GB'],
  [5e12, '5.0 TB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [0, '0 ms', '0 毫秒'],
  [999, '999 ms', '999 毫秒'],
  [1000, '1.0 s', '1.0 秒'],
  [59_960, '59.9 s', '59.9 秒'],
  [60_000, '1 min 0 s', '1 分 0 秒'],
  [3_599_999, '59 min 59 s', '59 分 59 秒'],
  [3_600_000, '1 h 0 min', '1 小时 0 分'],
  [360_000_000, '100 h 0 min', '100 小时 0 分'],
])('%i ms are formatted as %s', (ms, en, zh) => {
  expect(describeDuration(ms)).toEqual({ en, zh });
});

it.each([
  [12.4, '12 ms'],
  [3450, '3.4 s'],
  [59_960, '59.9 s'],
  [125_999, '2:05'],
  [3_723_000, '1:02:03'],
])('%d ms are %s in short form', (ms, text) => {
  expect(formatShortDuration(ms)).toBe(text);
});

it.each([
  [-1, '0:00'],
  [7.4, '0:07'],
  [59.6, '1:00'],
  [754, '12:34'],
  [3723, '1:02:03'],
  [360_000, '100:00:00'],
])('%d seconds are %s on a clock', (seconds, text) => {
  expect(formatClock(seconds)).toBe(text);
});

it.each([
  [0, 0, null],
  [0, 9, '0%'],
  [9, 9, '100%'],
  [1, 3, '33%'],
  [1, 1000, '< 1%'],
  [9999, 10_000, '99.9%'],
  [9934, 10_000, '99.3%'],
])('%i of %i is %s', (part, whole, text) => {
  expect(formatRate(part, whole)).toBe(text);
});
