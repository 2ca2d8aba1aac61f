/** The date where this machine is: the days of its user. */
export function localDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last so many days, the latest last. Noon is in the right day, whatever the clocks do at night. */
export function lastDays(count: number, today: Date): string[] {
  return Array.from({ length: count }, (_, index) =>
    localDay(new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index), 12)),
  );
}

/** The moment at which a day such as 2026-05-01 begins where this machine is. */
export function beginOfDay(day: string): Date {
  return new Date(`${day}T00:00:00`);
}
