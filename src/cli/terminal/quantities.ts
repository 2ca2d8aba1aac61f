const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** At most three digits, in decimal units as on the model hubs: 1 kB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that would round up to 1,000 goes into the next unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1);
  return `${text} ${units[unit]}`;
}

/** 0:07, 12:34 or 1:02:03. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A count with an English noun, in the plural unless the count is 1. */
export function formatCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Local time to the minute: 2026-05-01 09:30. A dash if there is none. */
export function formatMinute(iso: string | null): string {
  const date = new Date(iso ?? '');
  if (Number.isNaN(date.getTime())) return '-';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
