import type { Stats } from '../api/wire.ts';

type Day = Stats['days'][number];

/** A day such as 2026-05-01, as people say it. Noon is in the right day, whatever the clocks do at night. */
export function dayName(day: string, tag: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(tag, { month: 'short', day: 'numeric' });
}

/** Whether days begin here when they begin where they are counted. */
export function areDaysOfHere(days: readonly Day[]): boolean {
  return days.every(({ day, begins_at }) => new Date(`${day}T00:00:00`).getTime() === Date.parse(begins_at));
}

/** Where the runs of a day are listed. That page knows the days of here: those of elsewhere it is told by their moments. */
export function runsOfDay(day: Day, days: readonly Day[]): string {
  if (areDaysOfHere(days)) return `/runs?from=${day.day}&to=${day.day}`;
  const next = days[days.indexOf(day) + 1];
  const span = { since: day.begins_at, ...(next !== undefined && { until: next.begins_at }) };
  return `/runs?${new URLSearchParams(span)}`;
}
