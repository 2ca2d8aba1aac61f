import { expect, it } from 'vitest';

import { parseDuration } from './durations.ts';

it.each([
  ['0s', 0],
  ['500ms', 500],
  ['10s', 10_000],
  ['5m', 300_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  [' 10 s ', 10_000],
  ['0.4ms', 0],
])('parses the duration %j', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([
  '',
  '10',
  's',
  '-1s',
  '+1s',
  '1e3s',
  '1.s',
  '.5s',
  '10 sec',
  '1h30m',
  '1S',
  '10M',
  '１０s',
  `${'9'.repeat(40)}s`,
])('refuses %j as a duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});
