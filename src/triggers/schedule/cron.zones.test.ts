import { expect, it } from 'vitest';

import { walkCron } from '../../../test/support/cron-walker.ts';
import { has } from '../../../test/support/needs.ts';
import { slotAfter } from './cron.ts';

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'America/Sao_Paulo',
  'Asia/Shanghai',
  'Antarctica/Troll',
  // Its clock skips midnight.
  'America/Santiago',
];

const expressions = [
  '30 2 * * *',
  '*/30 * * * *',
  '0,15,45 1-3 * * *',
  '0 */2 * * sun',
  '10 0 1,15 * mon',
  '59 23 28-31 feb-apr,10 *',
];

const minuteMs = 60_000;

it('finds the same slots as a walk through three years of eleven zones', { timeout: 60_000 }, (context) => {
  const [from, to] = ['2024-01-01', '2027-01-01'].map((day) => Date.parse(day) / minuteMs);
  if (from === undefined || to === undefined) throw new Error('unreachable');
  const cases = zones.flatMap((zone) => expressions.map((cron) => ({ zone, cron, from, to })));
  const walked = walkCron(cases);
  if (!has('time zones of Python', walked?.every((slots) => slots !== null) ?? false)) return context.skip();
  for (const [index, { zone, cron }] of cases.entries()) {
    const slots: number[] = [];
    const rule = { cron, everyMs: null, timezone: zone };
    let at = slotAfter(rule, 'UTC', from * minuteMs - 1);
    for (; at !== null && at < to * minuteMs; at = slotAfter(rule, 'UTC', at)) slots.push(at / minuteMs);
    expect(slots, `${cron} in ${zone}`).toEqual(walked?.[index]);
  }
});
