import { setTimeout as pause } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { fakeClock, hasFaketime } from '../support/fake-clock.ts';
import { record } from '../support/figures.ts';
import { has } from '../support/needs.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { type SceneSchedule, type SeenSchedule, startScene } from '../support/slot-scene.ts';
import { until } from '../support/until.ts';

const scenario = 'triggers';
const [secondMs, minuteMs, hourMs, dayMs] = [1000, 60_000, 3_600_000, 86_400_000];

const secondly: SceneSchedule = {
  id: 'secondly',
  seconds: 0,
  fields: 'every = "1s"\noverlap = "allow"',
  slots: { everyMs: secondMs },
};
const slow: SceneSchedule = {
  id: 'slow',
  seconds: 7,
  fields: 'every = "5s"\noverlap = "skip"',
  slots: { everyMs: 5 * secondMs },
};
const queued: SceneSchedule = {
  id: 'queued',
  seconds: 3,
  fields: 'cron = "*/2 * * * * *"\noverlap = "queue"',
  slots: { everyMs: 2 * secondMs },
};
const minutely = (missed: string): SceneSchedule => ({
  id: `minutely-${missed}`,
  seconds: 0,
  fields: `cron = "* * * * *"\noverlap = "allow"\nmissed = "${missed}"`,
  slots: { everyMs: minuteMs },
});
const everyKind = [secondly, slow, queued, minutely('all'), minutely('once'), minutely('skip')];

const needsFaketime = !has('faketime', hasFaketime);

describe.skipIf(needsFaketime)('schedules while the clock is set', () => {
  it('record each slot once while the clock jumps forward and back', patiently, async () => {
    const random = new SeededRandom();
    const clock = await fakeClock('2026-11-02T11:59:50Z');
    const scene = await startScene(everyKind, clock);
    const rounds = scaled(1, 10);
    let jumps = 0;
    for (let round = 0; round < rounds; round++) {
      for (const ahead of [5 * minuteMs, hourMs, dayMs, 3 * dayMs]) {
        await scene.caughtUp(clock.now());
        clock.jump(ahead + random.between(0, minuteMs));
        // Less than a minute: too little for a record.
        const back = random.between(secondMs, 20 * secondMs);
        await scene.caughtUp(clock.now());
        clock.jump(-back);
        jumps += 2;
      }
      const [before, notes] = [clock.now(), await backNotes(scene, 'secondly')];
      await scene.caughtUp(before);
      clock.jump(-10 * minuteMs);
      await until(
        'the clock that was set back is on record',
        async () => (await backNotes(scene, 'secondly')) > notes,
      );
      clock.jump(11 * minuteMs);
      jumps += 2;
    }
    await scene.caughtUp(clock.now());
    report('jumps of the clock', jumps);
    check(await scene.finish(), { hint: `seed ${random.seed}`, isSetBack: true });
  });

  it('go on from the present after a clock that was three days ahead', patiently, async () => {
    const clock = await fakeClock('2026-11-02T11:59:50Z');
    const scene = await startScene([secondly, minutely('once'), minutely('skip')], clock);
    await scene.caughtUp(clock.now());
    clock.jump(3 * dayMs);
    await scene.caughtUp(clock.now());
    clock.jump(-3 * dayMs);
    const back = clock.now();
    await until('a run starts after the clock was set back', async () => {
      const records = await scene.records('secondly');
      return records.some(
        ({ outcome, due_at, recorded_at }) =>
          outcome === 'fired' &&
          Date.parse(recorded_at) >= back &&
          Date.parse(recorded_at) < back + dayMs &&
          Date.parse(due_at) > back,
      );
    });
    const seen = await scene.finish();
    check(seen, { isSetBack: true });
    for (const { records } of seen.values())
      expect(records.some(({ reason }) => reason === 'clock-back')).toBe(true);
  });

  it.each([
    {
      change: 'starts',
      begin: '2027-03-28T00:30:00Z',
      // 02:30 does not exist: the clock shows 03:00 after 02:00.
      times: ['2027-03-27T01:30:00Z', '2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z'],
      visits: ['2027-03-28T00:59:56Z', '2027-03-28T01:29:55Z', '2027-03-29T00:29:58Z'],
      fired: ['2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z'],
    },
    {
      change: 'ends',
      begin: '2026-10-25T00:05:00Z',
      // 02:30 comes twice.
      times: ['2026-10-24T00:30:00Z', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
      visits: ['2026-10-25T00:29:56Z', '2026-10-25T01:29:55Z', '2026-10-26T01:29:58Z'],
      fired: ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    },
  ])(
    'fire once on the night when daylight saving time $change',
    patiently,
    async ({ begin, times, visits, fired }) => {
      const clock = await fakeClock(begin);
      const berlin: SceneSchedule = {
        id: 'berlin',
        seconds: 0,
        fields: 'cron = "30 2 * * *"\ntimezone = "Europe/Berlin"',
        slots: { times: times.map((time) => Date.parse(time)) },
      };
      const scene = await startScene([berlin, secondly], clock);
      for (const visit of visits) {
        clock.set(visit);
        await scene.caughtUp(clock.now() + 6 * secondMs);
      }
      const seen = await scene.finish();
      check(seen);
      const records = seen.get('berlin')?.records ?? [];
      const due = records.map(({ due_at, outcome }) => [outcome, Date.parse(due_at)]);
      expect(due.reverse()).toEqual(fired.map((time) => ['fired', Date.parse(time)]));
    },
  );

  it('make up for the slots of the time for which the service was stopped', patiently, async () => {
    const clock = await fakeClock('2026-11-02T11:59:50Z');
    const scene = await startScene(everyKind, clock);
    await scene.caughtUp(clock.now() + 2 * secondMs);
    for (const asleepMs of [10 * minuteMs, 8 * hourMs]) {
      scene.hob.process.kill('SIGSTOP');
      clock.jump(asleepMs);
      await pause(scaled(3 * secondMs, 2 * minuteMs));
      scene.hob.process.kill('SIGCONT');
      await scene.caughtUp(clock.now());
    }
    const seen = await scene.finish();
    check(seen);
    const outcomes = (id: string) =>
      new Set(seen.get(id)?.records.map(({ outcome, reason }) => reason ?? outcome));
    expect(outcomes('minutely-skip')).toEqual(new Set(['fired', 'missed']));
    expect(outcomes('minutely-once')).toEqual(new Set(['fired', 'missed-merged']));
    // Of the slots of eight hours, the latest hundred.
    expect(outcomes('minutely-all')).toEqual(new Set(['fired', 'missed']));
    expect(seen.get('minutely-all')?.fired).toBeGreaterThan(100);
  });
});

it('schedules fire no slot twice and lose none while the service is killed', patiently, async () => {
  const kills = scaled(8, 100);
  const random = new SeededRandom();
  const scene = await startScene([secondly, slow, queued, minutely('once')], null);
  const firstMinute = Math.ceil(Date.now() / minuteMs) * minuteMs;
  for (let kill = 0; kill < kills; kill++) {
    await scene.caughtUp(Date.now());
    // Around the next slot, from before its first record to after the start of its run.
    await pause(secondMs - (Date.now() % secondMs) + random.between(-20, 120));
    await scene.kill();
  }
  // A fast machine kills eight times within a minute, and then no slot of `minutely` was due yet.
  await scene.caughtUp(Math.max(Date.now(), firstMinute) + 2 * secondMs);
  const seen = await scene.finish();
  report('kills of the service', kills);
  report(
    'slots that fired',
    [...seen.values()].reduce((sum, { fired }) => sum + fired, 0),
  );
  check(seen, { hint: `seed ${random.seed}` });
  expect(seen.get('slow')?.records.some(({ reason }) => reason === 'overlap')).toBe(true);
});

const none = {
  withoutRecord: 0,
  firedTwice: 0,
  wrongRecords: 0,
  firedWithoutRun: 0,
  runsWithoutRecord: 0,
  wrongWitnesses: 0,
  strayWitnesses: 0,
};

async function backNotes(scene: Awaited<ReturnType<typeof startScene>>, id: string): Promise<number> {
  return (await scene.records(id)).filter(({ reason }) => reason === 'clock-back').length;
}

/**
 * Each slot has one record, each fired record has one run, and the script of each run began once. `isSetBack`: slots that were left out
 * came again, and then have a second record if they fired.
 */
function check(seen: ReadonlyMap<string, SeenSchedule>, { hint = '', isSetBack = false } = {}): void {
  for (const [id, { contradictions, fired }] of seen) {
    const { recordedTwice, ...others } = contradictions;
    expect({ id, ...others }, hint).toEqual({ id, ...none });
    if (!isSetBack) expect(recordedTwice, `${id} has slots with two records`).toBe(0);
    expect(fired, `${id} never fired`).toBeGreaterThan(0);
  }
  const sum = (name: keyof SeenSchedule['contradictions']) =>
    [...seen.values()].reduce((total, { contradictions }) => total + contradictions[name], 0);
  report('slots without a record', sum('withoutRecord'), 0);
  if (!isSetBack) report('slots with two records', sum('recordedTwice'), 0);
  report('slots that fired twice', sum('firedTwice'), 0);
  report('slots on record as fired, without a run', sum('firedWithoutRun'), 0);
  report('runs without a slot', sum('runsWithoutRecord'), 0);
  report('runs whose script did not begin exactly once', sum('wrongWitnesses'), 0);
}

function report(what: string, value: number, exactly?: number): void {
  record({ scenario, what, value, unit: '', ...(exactly !== undefined && { bound: { exactly } }) });
}
