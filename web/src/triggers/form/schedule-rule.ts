/** Fields as in triggers.toml. */
export type Fields = Readonly<Record<string, unknown>>;

export const ruleModes = ['daily', 'weekly', 'monthly', 'interval', 'cron'] as const;
export type RuleMode = (typeof ruleModes)[number];

/** When a schedule fires, as the form shows it. Fields of other modes are kept while the user compares modes. */
export interface Rule {
  readonly mode: RuleMode;
  /** As in `09:30`. */
  readonly time: string;
  /** 0 is Sunday. */
  readonly days: readonly number[];
  /** The day of the month. */
  readonly date: string;
  readonly amount: string;
  readonly unit: Unit;
  readonly cron: string;
}

export const units = ['s', 'm', 'h', 'd'] as const;
export type Unit = (typeof units)[number];

const firstRule: Rule = {
  mode: 'daily',
  time: '09:00',
  days: [1, 2, 3, 4, 5],
  date: '1',
  amount: '15',
  unit: 'm',
  cron: '',
};

/** Finds the simplest mode for the fields of a schedule. */
export function ruleOf({ cron, every }: Fields): Rule {
  if (typeof every === 'string') {
    const [, amount = every, unit] = /^([\d.]+) ?([smhd])$/.exec(every.trim()) ?? [];
    return { ...firstRule, mode: 'interval', amount, unit: units.find((one) => one === unit) ?? 'm' };
  }
  if (typeof cron !== 'string') return firstRule;
  const [, minute = '', hour = '', date = '', days = ''] =
    /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-7](?:[,-][0-7])*)$/.exec(cron.trim()) ?? [];
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  const rule = { ...firstRule, time, cron };
  const isTime = minute !== '' && Number(minute) < 60 && Number(hour) < 24;
  if (!isTime || (date !== '*' && days !== '*')) return { ...firstRule, mode: 'cron', cron };
  if (date !== '*') return { ...rule, mode: 'monthly', date };
  return days === '*' ? { ...rule, mode: 'daily' } : { ...rule, mode: 'weekly', days: daysIn(days) };
}

/** The field `cron` or `every`; none if the rule is incomplete. */
export function fieldsOfRule(rule: Rule): Fields {
  const { mode, amount, unit } = rule;
  if (mode === 'interval') return amount.trim() === '' ? {} : { every: `${amount.trim()}${unit}` };
  const cron = cronOf(rule);
  return cron === '' ? {} : { cron };
}

/** The cron expression of a rule; empty if it is incomplete, or an interval. */
export function cronOf({ mode, time, days, date, cron }: Rule): string {
  const [hour, minute] = time.split(':').map(Number);
  const start = `${minute} ${hour}`;
  if (mode === 'cron') return cron.trim();
  if (mode === 'interval' || time === '') return '';
  if (mode === 'daily') return `${start} * * *`;
  if (mode === 'monthly') return date.trim() === '' ? '' : `${start} ${date.trim()} * *`;
  return days.length === 0 ? '' : `${start} * * ${listOf(days)}`;
}

/** Days from Monday to Friday are written as a range. */
function listOf(days: readonly number[]): string {
  const sorted = [...days].sort();
  const isRange = sorted.length > 2 && sorted.every((day, index) => day === (sorted[0] ?? 0) + index);
  return isRange ? `${sorted[0]}-${sorted.at(-1)}` : sorted.join(',');
}

function daysIn(list: string): number[] {
  const days = list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) % 7);
  });
  return [...new Set(days)].sort();
}
