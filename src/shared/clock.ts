/** Time as an argument, so that code which depends on it can be tested without waiting. */
export interface Clock {
  /** Wall time, for display. */
  now(): Date;
}

export const systemClock: Clock = {
  now: () => new Date(),
};

/** The date in the time zone of this machine. */
export function localDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last `count` days, the latest last. Uses noon, which is in the right day in spite of daylight saving changes. */
export function lastDays(count: number, today: Date): string[] {
  return Array.from({ length: count }, (_, index) =>
    localDay(new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index), 12)),
  );
}

/** The start of a day such as 2026-05-01 in the time zone of this machine. */
export function beginOfDay(day: string): Date {
  return new Date(`${day}T00:00:00`);
}
