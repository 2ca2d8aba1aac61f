import { InvalidArgumentError } from 'commander';

import { tr } from '../language.ts';

const minuteMs = 60_000;
const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
};

/** Converts `30m`, `2h`, `7d`, `1w`, a date or a local time to an ISO timestamp. */
export function sinceArgument(text: string, now: Date = new Date()): string {
  const [, count, unit = ''] = /^(\d+)\s*([mhdw])$/.exec(text.trim().toLowerCase()) ?? [];
  if (count !== undefined)
    return new Date(now.getTime() - Number(count) * (unitsMs[unit] ?? 0)).toISOString();
  // JavaScript reads a date without a time as UTC, but the user means the local day.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text.trim());
  const date = new Date(isDay ? `${text.trim()}T00:00` : text);
  if (!/^\d{4}-/.test(text.trim()) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError(
      tr(
        'Expected 30m, 2h, 7d, 1w or a date such as 2026-01-31.',
        '应为 30m、2h、7d、1w，或日期如 2026-01-31。',
      ),
    );
  return date.toISOString();
}
