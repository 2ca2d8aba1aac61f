import { expect, it } from 'vitest';

import { formatBytes, formatCount, formatDuration } from './quantities.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1023, '1.0 kB'],
  [99_900, '99.9 kB'],
  [99_960, '100 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [2_900_000_000, '2.9 GB'],
  [5e12, '5.0 TB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [-1, '0:00'],
  [7.4, '0:07'],
  [59.6, '1:00'],
  [754, '12:34'],
  [3723, '1:02:03'],
  [360_000, '100:00:00'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

it('uses the singular for 1', () => {
  expect([formatCount(1, 'file'), formatCount(0, 'file')]).toEqual(['1 file', '0 files']);
});
