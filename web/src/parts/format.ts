import { formatClock } from '../api/wire.ts';
import { type Say, tagOf, useLanguage } from '../language/language.tsx';

export { formatBytes as bytesText, formatShortDuration as durationText } from '../api/wire.ts';

/** A duration in whole seconds: 3 s, 2:05, 1:02:03. */
export function secondsText(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : clockText(ms);
}

const dayMs = 86_400_000;

/** A long duration in few characters: 12:03, 4:02:11, 3 d 4 h. */
export function uptimeText(ms: number, say: Say): string {
  const [days, hours] = [Math.floor(ms / dayMs), Math.floor(ms / 3_600_000) % 24];
  return days > 0 ? say(`${days} d ${hours} h`, `${days} 天 ${hours} 小时`) : clockText(Math.max(0, ms));
}

/** A duration in minutes and seconds, and in hours if it is longer: 0:07, 2:05, 1:02:03. */
function clockText(ms: number): string {
  return formatClock(Math.floor(ms / 1000));
}

/** Formats integers in the current language: 12,345. */
export function useCountText(): (count: number) => string {
  const { language } = useLanguage();
  return (count) => count.toLocaleString(tagOf(language));
}
