/** Sizes and durations for people. Plain functions: the command and the console use them without any other code of the service. */

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

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** A duration in words, with limited precision: 12 ms, 3.4 s, 2 min 5 s, 1 h 2 min. */
export function describeDuration(ms: number): { readonly en: string; readonly zh: string } {
  if (ms < secondMs) return { en: `${Math.round(ms)} ms`, zh: `${Math.round(ms)} 毫秒` };
  if (ms < minuteMs) {
    // Truncated, not rounded: 59.96 s must not become 60.0 s.
    const seconds = (Math.floor(ms / 100) / 10).toFixed(1);
    return { en: `${seconds} s`, zh: `${seconds} 秒` };
  }
  const [hours, minutes, seconds] = [
    Math.floor(ms / hourMs),
    Math.floor((ms % hourMs) / minuteMs),
    Math.floor((ms % minuteMs) / secondMs),
  ];
  if (hours === 0) return { en: `${minutes} min ${seconds} s`, zh: `${minutes} 分 ${seconds} 秒` };
  return { en: `${hours} h ${minutes} min`, zh: `${hours} 小时 ${minutes} 分` };
}

/** A duration in short form, the same in every language: 12 ms, 3.4 s, 2:05, 1:02:03. */
export function formatShortDuration(ms: number): string {
  return ms < minuteMs ? describeDuration(ms).en : formatClock(Math.floor(ms / secondMs));
}

/** 0:07, 12:34 or 1:02:03. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/**
 * A share in per cent, null if there is no whole. Only exact values are shown as 0% and 100%; values close to them are not rounded to
 * them.
 */
export function formatRate(part: number, whole: number): string | null {
  if (whole === 0) return null;
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 1) return '< 1%';
  if (percent > 99 && percent < 100) return `${Math.min(99.9, Math.floor(percent * 10) / 10).toFixed(1)}%`;
  return `${Math.round(percent)}%`;
}
