/** A day such as 2026-05-01, as people say it. Noon is in the right day, whatever the clocks do at night. */
export function dayName(day: string, tag: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(tag, { month: 'short', day: 'numeric' });
}

/** Where the runs of a day are listed. */
export function runsOfDay(day: string): string {
  return `/runs?from=${day}&to=${day}`;
}
