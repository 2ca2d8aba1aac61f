import { describe, expect, it } from 'vitest';

import { bytesText, durationText, secondsText, uptimeText } from './format.ts';

const english = (en: string) => en;

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1400, '1.4 kB'],
  [250_000_000, '250 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

describe('a duration', () => {
  it.each([
    [12, '12 ms', '0 s', '0:00'],
    [3400, '3.4 s', '3 s', '0:03'],
    [125_000, '2:05', '2:05', '2:05'],
    [3_723_000, '1:02:03', '1:02:03', '1:02:03'],
    [90_000_000, '25:00:00', '25:00:00', '1 d 1 h'],
  ])('of %i ms is %s, in whole seconds %s, as uptime %s', (ms, exact, seconds, uptime) => {
    expect(durationText(ms)).toBe(exact);
    expect(secondsText(ms)).toBe(seconds);
    expect(uptimeText(ms, english)).toBe(uptime);
  });
});
