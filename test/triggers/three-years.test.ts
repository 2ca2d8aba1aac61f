import { expect, it, onTestFinished } from 'vitest';

import { walkCron } from '../support/cron-walker.ts';
import { has } from '../support/needs.ts';
import { SeededRandom } from '../support/random.ts';
import { minuteMs, ScheduleScene, schedule } from '../support/schedule-scene.ts';

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Asia/Shanghai',
  'UTC',
];

/** An expression with a few times a day, often around the hours at which clocks are set. */
function randomCron(random: SeededRandom): string {
  const minute = random.pick(['0', '30', '59', '15,45', '*/20', String(random.between(0, 59))]);
  const hour = random.pick(['0', '1', '2', '3', '0-3', '23', '*/6', String(random.between(0, 23))]);
  const [day, month, weekday] = random.pick([
    ['*', '*', '*'],
    ['*', '*', '*'],
    ['*', '*', 'mon-fri'],
    ['1,15,28-31', '*', '*'],
    ['13', '*', 'fri'],
    ['*', 'feb-apr,sep-nov', 'sun'],
  ]);
  return [minute, hour, day, month, weekday].join(' ');
}

it('fires every slot of three years once, in ten zones', { timeout: 180_000 }, async (context) => {
  const random = new SeededRandom();
  const [begin, end] = ['2024-12-31T23:59:30.000Z', '2027-12-31T23:59:30.000Z'];
  const [from, to] = [begin, end].map((time) => Math.ceil(Date.parse(time) / minuteMs));
  if (from === undefined || to === undefined) throw new Error('unreachable');
  const cases = zones.flatMap((zone) =>
    ['30 2 * * *', randomCron(random), randomCron(random)].map((cron) => ({ zone, cron, from, to })),
  );
  const walked = walkCron(cases);
  if (!has('time zones of Python', walked?.every((slots) => slots !== null) ?? false)) return context.skip();

  const scene = new ScheduleScene(begin);
  onTestFinished(() => scene.close());
  const triggers = cases.map(({ cron, zone }, index) =>
    schedule({ id: `case-${index}`, cron, everyMs: null, timezone: zone, overlap: 'allow' }),
  );
  await scene.set(...triggers);
  scene.time.isQuick = true;
  await scene.time.passUntil(end);

  for (const [index, { zone, cron }] of cases.entries()) {
    const fired = scene.runs.slots(`case-${index}`).map((slot) => Date.parse(slot) / minuteMs);
    expect(fired, `${cron} in ${zone}, seed ${random.seed}`).toEqual(walked?.[index]);
    const late = scene.runs.started.filter(
      ({ key, startedAt }) => startedAt - Date.parse(key?.split(/:(?=\d{4}-)/)[1] ?? '') > 100,
    );
    expect(late).toEqual([]);
  }
});
