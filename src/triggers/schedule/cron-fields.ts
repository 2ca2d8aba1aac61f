import type { Text } from '../../shared/text.ts';

/** A cron expression. Each field lists its values in ascending order. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 to 6, 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** A day must match `days` or `weekdays` if both fields are restricted, as in crontab. Otherwise it must match both. */
  readonly isEitherDay: boolean;
}

export interface CronProblem {
  readonly message: Text;
  readonly advice: Text;
}

interface Field {
  readonly name: Text;
  readonly low: number;
  readonly high: number;
  /** The first name stands for `low`. */
  readonly names: readonly string[];
}

const second: Field = { name: { en: 'second', zh: '秒' }, low: 0, high: 59, names: [] };
const minute: Field = { name: { en: 'minute', zh: '分' }, low: 0, high: 59, names: [] };
const hour: Field = { name: { en: 'hour', zh: '时' }, low: 0, high: 23, names: [] };
const day: Field = { name: { en: 'day of the month', zh: '日' }, low: 1, high: 31, names: [] };
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month: Field = { name: { en: 'month', zh: '月' }, low: 1, high: 12, names: monthNames };
/** Crontab accepts 0 and 7 for Sunday. */
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const weekday: Field = { name: { en: 'weekday', zh: '星期' }, low: 0, high: 7, names: weekdayNames };

const nicknames: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** Longer than any expression that a person writes. */
const longestExpression = 500;

/** Parses five fields as in crontab, six with the seconds first, or a name such as `@daily`. */
export function parseCron(expression: string): CronFields | CronProblem {
  if (expression.length > longestExpression) return tooLong;
  const text = expression.trim();
  if (text.startsWith('@')) {
    const full = nicknames.get(text.toLowerCase());
    if (full !== undefined) return parseCron(full);
    return text.toLowerCase() === '@reboot' ? reboot : unknownNickname(text);
  }
  const parts = text === '' ? [] : text.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) return wrongCount(parts.length);
  const [inMinute = '*', inHour = '*', inDay = '*', inMonth = '*', inWeekday = '*'] = parts.slice(-5);
  const [ofSecond, ...others] = [
    parseField(second, parts.length === 6 ? (parts[0] ?? '0') : '0'),
    parseField(minute, inMinute),
    parseField(hour, inHour),
    // Quartz and some generators write ? where every day is meant.
    parseField(day, inDay === '?' ? '*' : inDay),
    parseField(month, inMonth),
    parseField(weekday, inWeekday === '?' ? '*' : inWeekday),
  ];
  const [ofMinute, ofHour, ofDay, ofMonth, ofWeekday] = others;
  for (const parsed of [ofSecond, ...others]) if (isProblem(parsed)) return parsed;
  return {
    seconds: valuesOf(ofSecond),
    minutes: valuesOf(ofMinute),
    hours: valuesOf(ofHour),
    days: valuesOf(ofDay),
    months: valuesOf(ofMonth),
    weekdays: sorted(valuesOf(ofWeekday).map((value) => value % 7)),
    isEitherDay: ![inDay, inWeekday].some((part) => part.startsWith('*') || part === '?'),
  };
}

export function isProblem(parsed: object | undefined): parsed is CronProblem {
  return parsed !== undefined && 'message' in parsed;
}

function valuesOf(parsed: readonly number[] | CronProblem | undefined): readonly number[] {
  return parsed === undefined || isProblem(parsed) ? [] : parsed;
}

function sorted(values: Iterable<number>): number[] {
  return [...new Set(values)].sort((one, other) => one - other);
}

function parseField(field: Field, text: string): readonly number[] | CronProblem {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const range = parsePart(field, part);
    if (range === null) return wrongPart(field, part);
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return sorted(values);
}

/** `*`, `5`, `1-5` or a name, with a step such as `/2` after a range or `*`. */
function parsePart(field: Field, part: string): { from: number; to: number; step: number } | null {
  const [, range = '', count] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
  const step = Number(count ?? 1);
  const { low, high } = field;
  // Sunday must not count twice.
  if (range === '*') return step === 0 || step > high ? null : { from: low, to: high === 7 ? 6 : high, step };
  const [first = '', last, ...rest] = range.split('-');
  if (rest.length > 0 || (last === undefined && count !== undefined)) return null;
  const from = parseValue(field, first);
  let to = last === undefined ? from : parseValue(field, last);
  // A range such as fri-sun ends on the Sunday after it.
  if (last !== undefined && field === weekday && to === 0 && from !== null && from > 0) to = 7;
  if (from === null || to === null || to < from || step === 0) return null;
  return { from, to, step };
}

function parseValue({ low, high, names }: Field, text: string): number | null {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return low + named;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  return value >= low && value <= high ? value : null;
}

const example: Text = {
  en: 'The five fields are minute, hour, day of the month, month and weekday; 30 2 * * * is every day at 02:30.',
  zh: '五个字段依次为分、时、日、月、星期；例如 30 2 * * * 表示每天 02:30。',
};

const tooLong: CronProblem = {
  message: {
    en: `the cron expression is longer than ${longestExpression} characters`,
    zh: `cron 表达式超过 ${longestExpression} 个字符`,
  },
  advice: { en: 'Use ranges and steps, or several triggers.', zh: '请使用范围和步长，或拆分为多个触发器。' },
};

const reboot: CronProblem = {
  message: {
    en: '@reboot is not a time: it means a start of the computer',
    zh: '@reboot 表示开机时运行，不是一个时间',
  },
  advice: {
    en: 'Start the script from the login or init system instead, for example with `hob run` in an autostart entry.',
    zh: '请改由登录或系统启动项运行脚本，例如在自启动项中使用 `hob run`。',
  },
};

function unknownNickname(text: string): CronProblem {
  const known = [...nicknames.keys()].join(', ');
  return {
    message: { en: `${cut(text)} is not a known name for a time`, zh: `无法识别的时间名称：${cut(text)}` },
    advice: {
      en: `Known names: ${known}. For an interval use every = "15m".`,
      zh: `可用的名称：${known}。固定间隔请使用 every = "15m"。`,
    },
  };
}

function wrongCount(count: number): CronProblem {
  return {
    message: {
      en: `a cron expression has five fields, or six with the seconds first; this has ${count}`,
      zh: `cron 表达式应有五个字段（或在最前加上秒，共六个），这里有 ${count} 个`,
    },
    advice: example,
  };
}

function wrongPart({ name, low, high, names }: Field, part: string): CronProblem {
  const [first = '', last = ''] = [names.at(0), names.at(-1)];
  const named =
    names.length === 0
      ? { en: '', zh: '' }
      : { en: ` or ${first} to ${last}`, zh: ` 或 ${first} 至 ${last}` };
  return {
    message: {
      en: `"${cut(part)}" is not valid in the field for the ${name.en}`,
      zh: `“${name.zh}”字段中的 "${cut(part)}" 无效`,
    },
    advice: {
      en: `Use values from ${low} to ${high}${named.en}, lists (1,15), ranges (1-5) or steps (*/10, 1-30/2).`,
      zh: `可用的值为 ${low} 至 ${high}${named.zh}，以及列表（1,15）、范围（1-5）或步长（*/10、1-30/2）。`,
    },
  };
}

function cut(text: string): string {
  return text.length <= 30 ? text : `${text.slice(0, 29)}…`;
}
