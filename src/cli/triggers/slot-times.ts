import { language } from '../language.ts';
import { padToWidth, widthOf } from '../terminal/text.ts';

const locales = { en: 'en-GB', zh: 'zh-CN' } as const;
const locale = locales[language];

const secondMs = 1000;
const units = [
  ['day', 24 * 3600 * secondMs],
  ['hour', 3600 * secondMs],
  ['minute', 60 * secondMs],
  ['second', secondMs],
] as const;

/** `Fri 2026-11-20 02:30  in 14 hours`, in local time. */
export function slotLines(next: readonly string[], now: Date = new Date()): string[] {
  const dates = next.map((iso) => new Date(iso));
  const hasSeconds = dates.some((date) => date.getSeconds() !== 0);
  const rows = dates.map((date) => [dateText(date, hasSeconds), distanceText(date, now)] as const);
  const width = Math.max(0, ...rows.map(([date]) => widthOf(date)));
  return rows.map(([date, distance]) => `${padToWidth(date, width)}  ${distance}`);
}

function dateText(date: Date, hasSeconds: boolean): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const weekday = date.toLocaleDateString(locale, { weekday: 'short' });
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), ...(hasSeconds ? [date.getSeconds()] : [])].map(two);
  return `${weekday} ${day} ${time.join(':')}`;
}

/** In the largest unit of which there are two: 47 hours, then 2 days. */
function distanceText(date: Date, now: Date): string {
  const ms = date.getTime() - now.getTime();
  const [unit, unitMs] = units.find(([, each]) => Math.abs(ms) >= 2 * each) ?? units[3];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(Math.round(ms / unitMs), unit);
}
