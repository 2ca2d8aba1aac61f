import { expect, it } from 'vitest';

import { scheduleWords } from './words.ts';

function cron(expression: string, timezone: string | null = null): string[] {
  const { en, zh } = scheduleWords({ cron: expression, everyMs: null, timezone });
  return [en, zh];
}

it('describes a schedule in both languages', () => {
  expect(cron('30 2 * * *', 'Europe/Berlin')).toEqual([
    'every day at 02:30 (Europe/Berlin)',
    '每天 02:30（Europe/Berlin）',
  ]);
  const described: [string, string, string][] = [
    ['* * * * *', 'every minute', '每分钟'],
    ['*/15 * * * *', 'every 15 minutes', '每 15 分钟'],
    ['0 * * * *', 'every hour', '每小时'],
    ['5 * * * *', 'every hour at minute 5', '每小时的第 5 分'],
    ['15 */3 * * *', 'every 3 hours at minute 15', '每 3 小时的第 15 分'],
    ['0 */12 * * *', 'every day at 00:00 and 12:00', '每天 00:00、12:00'],
    ['0 9,18 * * 1-5', 'Monday to Friday at 09:00 and 18:00', '周一至周五 09:00、18:00'],
    ['0,30 8 * * sun,mon', 'every Monday and Sunday at 08:00 and 08:30', '每周一、周日 08:00、08:30'],
    [
      '*/10 9-17 * * mon-fri',
      'every 10 minutes from 09:00 to 17:50, Monday to Friday',
      '周一至周五，09:00 至 17:50 每 10 分钟',
    ],
    ['0 0 1,22 * *', 'on the 1st and 22nd of each month at 00:00', '每月 1、22 日 00:00'],
    ['0 0 11 11 *', 'on the 11th of November at 00:00', '每年 11 月 11 日 00:00'],
    ['@weekly', 'every Sunday at 00:00', '每周日 00:00'],
    ['0 30 2 * * *', 'every day at 02:30', '每天 02:30'],
  ];
  for (const [expression, en, zh] of described) expect(cron(expression), expression).toEqual([en, zh]);
});

it('shows an expression that no short sentence describes', () => {
  const unclear = [
    '0 0 13 * fri',
    '*/7 * * * *',
    '*/20 * * * * *',
    '1,2,3 4,5,6 * * *',
    '0 5 1-10 * *',
    '0 5 * 1-3 *',
    '0 5 2 6 1-3',
    '0 5 */2 * 1-3',
    '10 */5 * * *',
  ];
  for (const expression of unclear)
    expect(cron(expression), expression).toEqual([`cron ${expression}`, `cron ${expression}`]);
});

it('describes an interval in the largest unit that divides it', () => {
  const words = (everyMs: number) => scheduleWords({ cron: null, everyMs, timezone: null }).en;
  expect(words(60_000)).toBe('every minute');
  expect(words(90 * 60_000)).toBe('every 90 minutes');
  expect(words(2 * 86_400_000)).toBe('every 2 days');
  expect(words(1500)).toBe('every 1500 milliseconds');
});
