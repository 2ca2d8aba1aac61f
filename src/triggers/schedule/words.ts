import type { Text } from '../../shared/text.ts';
import { fieldsOf, type SlotRule } from './cron.ts';
import type { CronFields } from './cron-fields.ts';

/** When a schedule fires, in words; the expression itself if it is too complicated for a short sentence. */
export function scheduleWords(rule: SlotRule): Text {
  const { cron, everyMs, timezone } = rule;
  if (everyMs !== null) return every(everyMs);
  if (cron === null) return { en: 'never', zh: '从不' };
  const words = cronWords(fieldsOf(cron)) ?? { en: `cron ${cron.trim()}`, zh: `cron ${cron.trim()}` };
  return timezone === null ? words : { en: `${words.en} (${timezone})`, zh: `${words.zh}（${timezone}）` };
}

const units = [
  { ms: 86_400_000, en: 'day', zh: '天' },
  { ms: 3_600_000, en: 'hour', zh: '小时' },
  { ms: 60_000, en: 'minute', zh: '分钟' },
  { ms: 1000, en: 'second', zh: '秒' },
  { ms: 1, en: 'millisecond', zh: '毫秒' },
] as const;

function every(ms: number): Text {
  // The largest unit that divides it: 90 minutes, not an hour and a half.
  const unit = units.find((each) => ms % each.ms === 0) ?? units[4];
  return step(ms / unit.ms, unit);
}

function step(count: number, unit: Text): Text {
  return count === 1
    ? { en: `every ${unit.en}`, zh: `每${unit.zh}` }
    : { en: `every ${count} ${unit.en}s`, zh: `每 ${count} ${unit.zh}` };
}

function cronWords(fields: CronFields): Text | null {
  const { seconds, minutes, hours } = fields;
  if (seconds.length !== 1 || seconds[0] !== 0) return null;
  const days = dayWords(fields);
  if (days === null) return null;
  if (minutes.length * hours.length <= mostTimes) {
    const times = hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute)));
    return { en: `${days.en} at ${listEn(times)}`, zh: `${days.zh} ${times.join('、')}` };
  }
  const rhythm = rhythmWords(minutes, hours);
  if (rhythm === null || days.en === 'every day') return rhythm;
  return { en: `${rhythm.en}, ${days.en}`, zh: `${days.zh}，${rhythm.zh}` };
}

const mostTimes = 4;

/** The words for equal distances between slots, within the hour or within the day. */
function rhythmWords(minutes: readonly number[], hours: readonly number[]): Text | null {
  const [minuteStep, hourStep] = [stepOf(minutes, 60), stepOf(hours, 24)];
  if (minuteStep !== null) {
    const words = step(minuteStep, units[2]);
    if (hours.length === 24) return words;
    const [from, to] = [hours.at(0) ?? 0, hours.at(-1) ?? 0];
    if (to - from !== hours.length - 1) return null;
    const [begin, end] = [clock(from, 0), clock(to, 60 - minuteStep)];
    if (begin === end) return null;
    return { en: `${words.en} from ${begin} to ${end}`, zh: `${begin} 至 ${end} ${words.zh}` };
  }
  const [minute = 0] = minutes;
  if (minutes.length !== 1 || hourStep === null) return null;
  const words = step(hourStep, units[1]);
  if (minute === 0) return words;
  return { en: `${words.en} at minute ${minute}`, zh: `${words.zh}的第 ${minute} 分` };
}

/** The distance of values that divide their range evenly, from its beginning; null for any others. */
function stepOf(values: readonly number[], range: number): number | null {
  const distance = range / values.length;
  return values.length > 1 && values.every((value, index) => value === index * distance) ? distance : null;
}

function dayWords({ days, months, weekdays, isEitherDay }: CronFields): Text | null {
  if (isEitherDay) return null;
  const [anyDate, anyMonth, anyWeekday] = [days.length === 31, months.length === 12, weekdays.length === 7];
  if (anyDate && anyMonth) {
    return anyWeekday ? { en: 'every day', zh: '每天' } : weekdayWords(weekdays);
  }
  if (!anyWeekday || days.length > mostTimes) return null;
  const dates = { en: listEn(days.map(ordinal)), zh: `${days.join('、')} 日` };
  if (anyMonth) return { en: `on the ${dates.en} of each month`, zh: `每月 ${dates.zh}` };
  const [month = 1, ...others] = months;
  if (others.length > 0 || anyDate) return null;
  return { en: `on the ${dates.en} of ${monthsEn[month - 1]}`, zh: `每年 ${month} 月 ${dates.zh}` };
}

function weekdayWords(weekdays: readonly number[]): Text {
  const isWeek = weekdays.join() === '1,2,3,4,5';
  if (isWeek) return { en: 'Monday to Friday', zh: '周一至周五' };
  // Monday first: for most readers, Sunday belongs to the end of a list.
  const sorted = [...weekdays].sort((one, other) => ((one + 6) % 7) - ((other + 6) % 7));
  return {
    en: `every ${listEn(sorted.map((weekday) => weekdaysEn[weekday] ?? ''))}`,
    zh: `每${sorted.map((weekday) => weekdaysZh[weekday] ?? '').join('、')}`,
  };
}

const weekdaysEn = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const weekdaysZh = ['周日', '周一', '周二', '周三', '周四', '周五', '周六'];
const monthsEn = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function ordinal(day: number): string {
  const tens = Math.floor(day / 10);
  const ending = tens === 1 ? undefined : ['st', 'nd', 'rd'][(day % 10) - 1];
  return `${day}${ending ?? 'th'}`;
}

function clock(hour: number, minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(hour)}:${two(minute)}`;
}

function listEn(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
