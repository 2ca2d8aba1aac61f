import type { Text } from './text.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Formats a duration for display, with limited precision. */
export function describeDuration(ms: number): Text {
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
