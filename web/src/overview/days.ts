import type { Stats } from '../api/wire.ts';

type Day = Stats['days'][number];

/** A short date for a day such as 2026-05-01. Noon avoids the clock changes at night. */
export function dayName(day: string, tag: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(tag, { month: 'short', day: 'numeric' });
}

/** Whether the days of the service begin at midnight in the time zone of the browser. */
export function areDaysOfHere(days: readonly Day[]): boolean {
  return days.every(({ day, begins_at }) => new Date(`${day}T00:00:00`).getTime() === Date.parse(begins_at));
}

/** Link to the runs of a day. The runs page uses days of the browser, so days of another time zone are passed as timestamps. */
export function runsOfDay(day: Day, days: readonly Day[]): string {
  if (areDaysOfHere(days)) return `/runs?from=${day.day}&to=${day.day}`;
  const next = days[days.indexOf(day) + 1];
  const span = { since: day.begins_at, ...(next !== undefined && { until: next.begins_at }) };
  return `/runs?${new URLSearchParams(span)}`;
}
