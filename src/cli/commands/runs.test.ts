import { expect, it } from 'vitest';

import { sinceArgument } from './runs.ts';

const now = new Date('2026-05-10T12:00:00.000Z');

it.each([
  ['30m', '2026-05-10T11:30:00.000Z'],
  ['2h', '2026-05-10T10:00:00.000Z'],
  ['7D', '2026-05-03T12:00:00.000Z'],
  ['1w', '2026-05-03T12:00:00.000Z'],
  ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
])('%s means since %s', (text, since) => {
  expect(sinceArgument(text, now)).toBe(since);
});

it('a date means the local day', () => {
  expect(sinceArgument('2026-01-31', now)).toBe(new Date(2026, 0, 31).toISOString());
});

it.each(['yesterday', '2', 'h', '2026-13-01', ''])('%j is not a valid time', (text) => {
  expect(() => sinceArgument(text, now)).toThrow();
});
