import { describe, expect, it, onTestFinished } from 'vitest';

import {
  dayMs,
  hourMs,
  minuteMs,
  ScheduleScene,
  schedule,
  secondMs,
} from '../../../test/support/schedule-scene.ts';

function scene(start?: string): ScheduleScene {
  const made = new ScheduleScene(start);
  onTestFinished(() => made.close());
  return made;
}

const everyHour = schedule({ everyMs: hourMs });

describe('slots on time', () => {
  it('fires each slot once and records its run', async () => {
    const one = scene('2026-03-01T12:00:30.000Z');
    await one.set(everyHour);
    await one.time.pass(3 * hourMs);
    expect(one.runs.started.map(({ startedAt }) => new Date(startedAt).toISOString())).toEqual([
      '2026-03-01T13:00:00.000Z',
      '2026-03-01T14:00:00.000Z',
      '2026-03-01T15:00:00.000Z',
    ]);
    expect(one.firings()).toMatchObject([
      { key: 'schedule:one:2026-03-01T13:00:00.000Z', dueAt: '2026-03-01T13:00:00.000Z', runId: 'run-0' },
      { runId: 'run-1', outcome: 'fired' },
      { runId: 'run-2', reason: null },
    ]);
  });

  it('keeps the slots of an interval where they are through a restart', async () => {
    const one = scene('2026-03-01T12:00:30.000Z');
    await one.set(schedule({ everyMs: 40 * secondMs }));
    await one.time.pass(50 * secondMs);
    await one.stop();
    await one.time.pass(10 * secondMs);
    await one.start();
    await one.time.pass(minuteMs);
    expect(one.runs.slots('one')).toEqual([
      '2026-03-01T12:00:40.000Z',
      '2026-03-01T12:01:20.000Z',
      '2026-03-01T12:02:00.000Z',
    ]);
  });

  it('delays all slots of a schedule by the same part of its jitter, and shows the delayed times', async () => {
    const one = scene('2026-03-01T12:00:00.000Z');
    const jittered = schedule({ everyMs: hourMs, jitterMs: 5 * minuteMs });
    await one.set(jittered);
    const { next } = one.schedules.status(jittered);
    await one.stop();
    await one.start();
    await one.time.pass(3 * hourMs);
    const started = one.runs.started.map(({ startedAt }) => startedAt);
    expect(started.slice(0, 3)).toEqual(next.slice(0, started.length).map((date) => date.getTime()));
    const delays = started.map((at) => at % hourMs);
    expect(new Set(delays).size).toBe(1);
    expect(delays[0]).toBeGreaterThan(0);
    expect(delays[0]).toBeLessThan(5 * minuteMs);
    expect(one.runs.slots('one')[0]).toBe('2026-03-01T13:00:00.000Z');
  });

  it('counts a slot as on time that a stopped process deals with up to a minute late', async () => {
    const one = scene('2026-03-01T12:59:30.000Z');
    await one.set(schedule({ everyMs: hourMs, missed: 'skip' }));
    one.time.jump(minuteMs);
    await one.time.pass(30 * secondMs);
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 fired']);
  });

  it('looks at the wall time every 30 seconds, so that a machine that wakes up is noticed', async () => {
    const one = scene('2026-03-01T12:00:30.000Z');
    await one.set(everyHour);
    one.time.jump(hourMs - minuteMs);
    await one.time.pass(30 * secondMs);
    expect(one.runs.started).toHaveLength(1);
  });

  it('wakes up twice a minute for 10,000 idle schedules', async () => {
    const one = scene('2026-03-01T12:00:30.000Z');
    const many = Array.from({ length: 10_000 }, (_, index) =>
      schedule({ id: `many-${index}`, cron: '30 2 * * *', timezone: 'Europe/Berlin' }),
    );
    await one.set(...many);
    const before = one.time.calls;
    await one.time.pass(hourMs);
    expect(one.time.calls - before).toBeLessThanOrEqual(121);
    expect(one.runs.started).toHaveLength(0);
  });

  it('fires 1,000 schedules that are due at once', async () => {
    const one = scene('2026-03-01T12:59:30.000Z');
    const many = Array.from({ length: 1000 }, (_, index) => schedule({ id: `many-${index}` }));
    await one.set(...many);
    await one.time.pass(minuteMs);
    expect(new Set(one.runs.started.map(({ triggerId }) => triggerId)).size).toBe(1000);
    expect(one.runs.started).toHaveLength(1000);
  });
});

describe('missed slots', () => {
  async function awayFor(hours: number, fields: Parameters<typeof schedule>[0]): Promise<ScheduleScene> {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(schedule({ everyMs: hourMs, ...fields }));
    await one.stop();
    await one.time.pass(hours * hourMs);
    await one.start();
    return one;
  }

  it('are skipped', async () => {
    const one = await awayFor(2, { missed: 'skip' });
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 missed', '2026-03-01T14:00:00 missed']);
    expect(one.runs.started).toEqual([]);
  });

  it('are made up for once, by the last of them', async () => {
    const one = await awayFor(3, { missed: 'once' });
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 missed-merged',
      '2026-03-01T14:00:00 missed-merged',
      '2026-03-01T15:00:00 fired',
    ]);
  });

  it('are all made up for, one after the other', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(schedule({ everyMs: hourMs, missed: 'all' }));
    await one.stop();
    one.runs.durationMs = minuteMs;
    await one.time.pass(3 * hourMs);
    await one.start();
    await one.time.pass(4 * minuteMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 fired',
      '2026-03-01T14:00:00 fired',
      '2026-03-01T15:00:00 fired',
    ]);
    const [first = 0, second = 0, third = 0] = one.runs.started.map(({ startedAt }) => startedAt);
    expect([second - first, third - second]).toEqual([minuteMs, minuteMs]);
  });

  it('are made up for at most 100 times', async () => {
    const one = await awayFor(200, { missed: 'all', missedWithinMs: 30 * dayMs });
    await one.time.pass(secondMs);
    expect(one.runs.started).toHaveLength(100);
    expect(one.outcomes().filter((text) => text.endsWith('missed'))).toHaveLength(100);
  });

  it('are left out if they are older than missed_within', async () => {
    const one = await awayFor(3, { missedWithinMs: 100 * minuteMs });
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 missed-too-long',
      '2026-03-01T14:00:00 missed-merged',
      '2026-03-01T15:00:00 fired',
    ]);
  });

  it('share one record beyond the newest hundred, after a month of seconds', async () => {
    const one = scene('2026-03-01T12:00:00.500Z');
    await one.set(schedule({ everyMs: secondMs, missed: 'skip' }));
    await one.stop();
    one.time.jump(30 * dayMs);
    const began = performance.now();
    await one.start();
    expect(performance.now() - began).toBeLessThan(1000);
    const firings = one.firings();
    const missed = firings.filter(({ reason }) => reason === 'missed');
    expect(missed).toHaveLength(101);
    const [summary] = missed;
    // The last five seconds count as on time.
    const covered = (30 * dayMs) / secondMs - 5 - 100;
    expect(summary?.detail).toMatch(/^\d+ slots from 2026-03-01T12:00:01\.000Z to 2026-03-31T11:58:/);
    expect(Math.abs(Number.parseInt(summary?.detail ?? '', 10) - covered)).toBeLessThanOrEqual(2);
    expect(firings.filter(({ outcome }) => outcome === 'fired').length).toBeGreaterThan(0);
  });

  it('leave the latest one that is less than a minute late, also if its schedule skips missed slots', async () => {
    const one = scene('2026-03-01T12:00:30.000Z');
    await one.set(schedule({ everyMs: minuteMs, missed: 'skip' }));
    await one.stop();
    one.time.jump(3 * minuteMs + 25 * secondMs);
    await one.start();
    expect(one.outcomes()).toEqual([
      '2026-03-01T12:01:00 missed',
      '2026-03-01T12:02:00 missed',
      '2026-03-01T12:03:00 fired',
    ]);
  });

  it('start few runs at once after a sleep of a schedule of seconds', async () => {
    const one = scene('2026-03-01T12:00:00.500Z');
    await one.set(schedule({ everyMs: secondMs, overlap: 'allow' }));
    await one.stop();
    one.time.jump(50 * secondMs);
    await one.start();
    // One run makes up for the missed slots, and the last five seconds count as on time.
    expect(one.runs.started.length).toBeLessThanOrEqual(7);
    expect(one.firings().filter(({ reason }) => reason === 'missed-merged').length).toBeGreaterThan(40);
  });
});

describe('a schedule that is switched off or changed', () => {
  it('does not make up for the slots of a pause', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.time.pass(hourMs);
    await one.set();
    await one.time.pass(2 * hourMs);
    await one.stop();
    await one.time.pass(hourMs);
    await one.start();
    await one.set(everyHour);
    await one.time.pass(hourMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 fired',
      '2026-03-01T14:00:00 paused',
      '2026-03-01T15:00:00 paused',
      '2026-03-01T16:00:00 paused',
      '2026-03-01T17:00:00 fired',
    ]);
  });

  it('says that its script was missing, and makes up for slots that were missed before', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.stop();
    await one.time.pass(hourMs);
    one.unable.set('one', 'script-missing');
    const trigger = everyHour;
    await one.startWith();
    await one.time.pass(hourMs);
    await one.set(trigger);
    await one.time.pass(hourMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 fired',
      '2026-03-01T14:00:00 script-missing',
      '2026-03-01T15:00:00 fired',
    ]);
  });

  it('notifies its user once when a slot passes while its script is missing', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    one.unable.set('one', 'script-missing');
    await one.set();
    await one.time.pass(30 * minuteMs);
    expect(one.notices).toEqual([]);
    await one.time.pass(2 * minuteMs);
    expect(one.notices).toEqual([
      'The schedule "one" could not start its run of 2026-03-01T13:00:00.000Z. Its script does not exist. To see it: hob triggers show one',
    ]);
    await one.stop();
    await one.startWith();
    await one.time.pass(3 * hourMs);
    expect(one.notices).toHaveLength(1);
  });

  it('shows no notification while it is paused, or if its script is back before the slot', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.set();
    await one.time.pass(2 * hourMs);
    await one.set(everyHour);
    one.unable.set('one', 'cannot-start');
    await one.set();
    await one.time.pass(minuteMs);
    await one.set(everyHour);
    await one.time.pass(2 * hourMs);
    expect(one.notices).toEqual([]);
  });

  it('makes up for missed slots after an entry that was broken for a moment', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.stop();
    await one.time.pass(hourMs);
    one.unable.set('one', 'cannot-start');
    await one.startWith();
    await one.time.pass(hourMs);
    await one.set(everyHour);
    await one.time.pass(minuteMs);
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 fired', '2026-03-01T14:00:00 cannot-start']);
  });

  it('begins now when it is new or its times were edited', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.stop();
    await one.time.pass(2 * hourMs);
    await one.startWith(schedule({ cron: '0 * * * *', everyMs: null }));
    await one.time.pass(hourMs);
    expect(one.outcomes()).toEqual(['2026-03-01T15:00:00 fired']);
  });

  it('keeps its position when other fields are edited', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.stop();
    await one.time.pass(hourMs);
    await one.startWith(schedule({ everyMs: hourMs, params: { quality: 1 }, retries: undefined }));
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 fired']);
  });

  it('begins again after it was removed', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.time.pass(hourMs);
    await one.set();
    one.store.forget('one');
    await one.time.pass(hourMs);
    await one.set(everyHour);
    await one.time.pass(hourMs);
    expect(one.outcomes()).toEqual(['2026-03-01T15:00:00 fired']);
  });

  it('leaves nothing to a trigger that gets its id, when its last run ends after its removal', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    one.runs.durationMs = null;
    one.runs.isFailing = true;
    await one.set(everyHour);
    await one.time.pass(hourMs);
    await one.set();
    one.store.forget('one');
    for (const run of one.runs.live('one')) one.runs.end(run);
    expect(one.store.position('one')).toBeNull();
  });

  it('leaves the position of another kind of trigger with its id alone when its last run ends', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    one.runs.durationMs = null;
    one.runs.isFailing = true;
    await one.set(everyHour);
    await one.time.pass(hourMs);
    await one.set();
    const ofFolder = '{"scope":"of a folder"}';
    one.store.setPosition('one', ofFolder);
    for (const run of one.runs.live('one')) one.runs.end(run);
    expect(one.store.position('one')).toBe(ofFolder);
  });
});

describe('a kill between the start of a run and its record', () => {
  async function killed(): Promise<ScheduleScene> {
    const one = scene('2026-03-01T12:30:00.000Z');
    const { wrapStore } = one;
    one.wrapStore = (store) =>
      new Proxy(store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          return (...values: unknown[]) => {
            if (name !== 'record') return member.apply(target, values);
            one.kill();
            throw new Error('killed');
          };
        },
      });
    await one.set(schedule({ everyMs: hourMs, missed: 'skip' }));
    await one.time.pass(31 * minuteMs);
    one.wrapStore = wrapStore;
    expect([one.isRunning, one.runs.started.length, one.firings().length]).toEqual([false, 1, 0]);
    return one;
  }

  it('leads to a record of that run, and to no second one', async () => {
    const one = await killed();
    await one.time.pass(20 * minuteMs);
    await one.start();
    expect(one.firings()).toMatchObject([{ dueAt: '2026-03-01T13:00:00.000Z', runId: 'run-0' }]);
    expect(one.runs.started).toHaveLength(1);
  });

  it('leads to a record of that run also if the times were edited meanwhile', async () => {
    const one = await killed();
    await one.startWith(schedule({ cron: '0 * * * *', everyMs: null }));
    expect(one.firings()).toMatchObject([{ dueAt: '2026-03-01T13:00:00.000Z', runId: 'run-0' }]);
  });

  it('leads to no second run after its key has expired', async () => {
    const one = await killed();
    await one.time.pass(2 * dayMs);
    await one.startWith(schedule({ everyMs: hourMs, missed: 'all', missedWithinMs: 7 * dayMs }));
    await one.time.pass(minuteMs);
    expect(one.runs.slots('one').filter((slot) => slot === '2026-03-01T13:00:00.000Z')).toHaveLength(1);
    expect(one.firings()[0]).toMatchObject({
      dueAt: '2026-03-01T13:00:00.000Z',
      outcome: 'skipped',
      detail: expect.stringContaining('may have started'),
    });
  });
});

describe('a clock that is set', () => {
  it('back does not repeat slots, and says so once', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.time.pass(3 * hourMs);
    one.time.jump(-2 * hourMs);
    await one.time.pass(3 * hourMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 fired',
      '2026-03-01T14:00:00 fired',
      '2026-03-01T15:00:00 fired',
      '2026-03-01T15:00:00 clock-back',
      '2026-03-01T16:00:00 fired',
    ]);
    expect(one.notices).toEqual([]);
  });

  it('back does not repeat slots after a restart', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.time.pass(3 * hourMs);
    await one.stop();
    one.time.jump(-2 * hourMs);
    await one.start();
    await one.stop();
    await one.start();
    await one.time.pass(3 * hourMs);
    expect(one.runs.started).toHaveLength(4);
    expect(one.outcomes().filter((text) => text.endsWith('clock-back'))).toHaveLength(1);
  });

  it('far into the future and back does not silence a schedule', async () => {
    const one = scene('2099-05-01T12:30:00.000Z');
    await one.set(everyHour, schedule({ id: 'other', everyMs: hourMs }));
    await one.time.pass(2 * hourMs);
    one.time.jump(Date.parse('2026-03-01T12:30:00.000Z') - one.time.wall);
    await one.time.pass(2 * hourMs);
    expect(one.runs.slots('one')).toEqual([
      '2099-05-01T13:00:00.000Z',
      '2099-05-01T14:00:00.000Z',
      '2026-03-01T13:00:00.000Z',
      '2026-03-01T14:00:00.000Z',
    ]);
    expect(one.notices).toEqual([expect.stringContaining('The clock was set back from 2099-05-01')]);
    expect(one.outcomes()).toContain('2099-05-01T14:00:00 clock-back');
  });

  it('to 1970 until the network sets it right does not repeat the slots of the years between', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    await one.set(everyHour);
    await one.time.pass(3 * hourMs);
    await one.stop();
    const rightTime = one.time.wall;
    one.time.jump(-rightTime);
    await one.start();
    await one.time.pass(2 * hourMs);
    one.time.jump(rightTime);
    await one.time.pass(2 * hourMs);
    expect(one.runs.slots('one')).toEqual([
      '2026-03-01T13:00:00.000Z',
      '2026-03-01T14:00:00.000Z',
      '2026-03-01T15:00:00.000Z',
      '1970-01-01T01:00:00.000Z',
      '1970-01-01T02:00:00.000Z',
      '2026-03-01T17:00:00.000Z',
      '2026-03-01T18:00:00.000Z',
      '2026-03-01T19:00:00.000Z',
    ]);
    const reasons = one.firings().map(({ reason }) => reason);
    expect(reasons).not.toContain('missed-too-long');
  });

  it('back by hours neither repeats a slot nor waits for those hours', async () => {
    const one = scene('2026-03-01T17:30:00.000Z');
    await one.set(schedule({ everyMs: 4 * hourMs }));
    await one.time.pass(3 * hourMs);
    one.time.jump(-8 * hourMs);
    await one.time.pass(12 * hourMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T20:00:00 fired',
      '2026-03-01T20:00:00 clock-back',
      '2026-03-01T16:00:00 fired',
      '2026-03-02T00:00:00 fired',
    ]);
    expect(one.runs.started).toHaveLength(3);
  });

  it.each([8, 48])('back by %i hours fires the slots that were skipped while it was wrong', async (hours) => {
    const one = scene('2026-03-01T11:30:00.000Z');
    await one.set(schedule({ everyMs: hourMs, missed: 'skip' }));
    await one.time.pass(hourMs);
    one.time.jump(hours * hourMs);
    await one.time.pass(minuteMs);
    one.time.jump(-hours * hourMs);
    await one.time.pass(3 * hourMs);
    expect(one.runs.slots('one')).toEqual([
      '2026-03-01T12:00:00.000Z',
      '2026-03-01T13:00:00.000Z',
      '2026-03-01T14:00:00.000Z',
      '2026-03-01T15:00:00.000Z',
    ]);
    const fired = one.firings().filter(({ outcome }) => outcome === 'fired');
    expect(fired.map(({ runId }) => runId)).toEqual(one.runs.started.map(({ runId }) => runId));
  });

  it('back soon after a schedule was made does not silence it', async () => {
    const one = scene('2026-03-01T20:30:00.000Z');
    await one.set(everyHour);
    one.time.jump(-8 * hourMs);
    await one.time.pass(hourMs);
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 fired']);
  });
});

describe('the time zone of the machine', () => {
  it('may change while the service runs', async () => {
    const one = scene('2026-03-01T08:30:00.000Z');
    await one.set(schedule({ cron: '0 12 * * *', everyMs: null }));
    await one.time.pass(3 * hourMs);
    one.time.zone = 'America/New_York';
    await one.time.pass(dayMs);
    expect(one.outcomes()).toEqual(['2026-03-01T11:00:00 fired', '2026-03-01T17:00:00 fired']);
  });
});

describe('overlap', () => {
  async function slow(overlap: 'skip' | 'queue' | 'allow'): Promise<ScheduleScene> {
    const one = scene('2026-03-01T12:30:00.000Z');
    one.runs.durationMs = 150 * minuteMs;
    await one.set(schedule({ everyMs: hourMs, overlap }));
    await one.time.pass(4 * hourMs);
    return one;
  }

  it('skips slots while the previous run has not ended', async () => {
    expect((await slow('skip')).outcomes()).toEqual([
      '2026-03-01T13:00:00 fired',
      '2026-03-01T14:00:00 overlap',
      '2026-03-01T15:00:00 overlap',
      '2026-03-01T16:00:00 fired',
    ]);
  });

  it('queues the latest slot until the previous run has ended', async () => {
    const one = await slow('queue');
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 fired',
      '2026-03-01T14:00:00 overlap',
      '2026-03-01T15:00:00 fired',
    ]);
    expect(one.runs.started[1]?.startedAt).toBe(Date.parse('2026-03-01T15:30:00.000Z'));
  });

  it('still starts a queued slot after a restart', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    one.runs.durationMs = 100 * minuteMs;
    await one.set(schedule({ everyMs: hourMs, overlap: 'queue', missed: 'skip' }));
    await one.time.pass(95 * minuteMs);
    one.kill();
    await one.start();
    await one.time.pass(40 * minuteMs);
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 fired', '2026-03-01T14:00:00 fired']);
  });

  it('allows runs beside each other', async () => {
    expect((await slow('allow')).runs.started).toHaveLength(4);
  });
});

describe('a run that cannot start', () => {
  const passing = { reason: 'cannot-start', isLasting: false } as const;

  it('is tried again, and then recorded as fired', async () => {
    const one = scene('2026-03-01T12:59:30.000Z');
    await one.set(schedule({ everyMs: hourMs, missed: 'skip' }));
    one.runs.refusal = passing;
    await one.time.pass(2 * minuteMs);
    expect(one.firings()).toEqual([]);
    expect(one.schedules.status(one.triggers[0] ?? everyHour).problem?.message.en).toContain(
      'refused by the test',
    );
    one.runs.refusal = null;
    await one.time.pass(minuteMs);
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 fired']);
    expect(one.schedules.status(one.triggers[0] ?? everyHour).problem).toBeNull();
    expect(one.notices).toEqual([]);
  });

  it('is recorded after some minutes, and raises one notification until a run succeeds', async () => {
    const one = scene('2026-03-01T12:59:30.000Z');
    await one.set(everyHour);
    one.runs.refusal = passing;
    await one.time.pass(2 * hourMs);
    await one.stop();
    await one.start();
    await one.time.pass(hourMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 cannot-start',
      '2026-03-01T14:00:00 cannot-start',
      '2026-03-01T15:00:00 cannot-start',
    ]);
    expect(one.firings()[0]).toMatchObject({ outcome: 'refused', detail: 'refused by the test' });
    expect(one.notices).toHaveLength(1);
    one.runs.refusal = null;
    await one.time.pass(hourMs);
    one.runs.refusal = passing;
    await one.time.pass(hourMs);
    expect(one.notices).toHaveLength(2);
  });

  it('gives way to the next slot if missed slots are skipped', async () => {
    const one = scene('2026-03-01T12:59:30.000Z');
    await one.set(schedule({ everyMs: minuteMs, missed: 'skip' }));
    one.runs.refusal = passing;
    await one.time.pass(150 * secondMs);
    one.runs.refusal = null;
    await one.time.pass(minuteMs);
    expect(one.outcomes()).toEqual([
      '2026-03-01T13:00:00 cannot-start',
      '2026-03-01T13:01:00 cannot-start',
      '2026-03-01T13:02:00 fired',
      '2026-03-01T13:03:00 fired',
    ]);
  });

  it('is recorded at once if another attempt would fail in the same way', async () => {
    const one = scene('2026-03-01T12:59:30.000Z');
    await one.set(everyHour);
    one.runs.refusal = { reason: 'bad-input', isLasting: true };
    await one.time.pass(minuteMs);
    expect(one.outcomes()).toEqual(['2026-03-01T13:00:00 bad-input']);
    expect(one.notices).toHaveLength(1);
  });
});

it('raises one notification after three failures in a row, also across restarts', async () => {
  const one = scene('2026-03-01T12:30:00.000Z');
  one.runs.isFailing = true;
  await one.set(everyHour);
  await one.time.pass(2 * hourMs);
  await one.stop();
  await one.start();
  expect(one.notices).toEqual([]);
  await one.time.pass(3 * hourMs);
  await one.stop();
  await one.start();
  await one.time.pass(3 * hourMs);
  expect(one.notices).toEqual([expect.stringContaining('"one" has failed 3 times in a row')]);
  one.runs.isFailing = false;
  await one.time.pass(hourMs);
  one.runs.isFailing = true;
  await one.time.pass(3 * hourMs);
  expect(one.notices).toHaveLength(2);
});

describe('the status of a schedule', () => {
  it('shows the next five times and the words, also of a trigger that is not on', async () => {
    const one = scene('2026-03-28T12:30:00.000Z');
    await one.set();
    const unsaved = schedule({ cron: '30 2 * * *', everyMs: null, timezone: 'Europe/Berlin' });
    const { next, words, problem } = one.schedules.status(unsaved);
    expect(words.en).toBe('every day at 02:30 (Europe/Berlin)');
    expect(problem).toBeNull();
    // The clock skips 02:30 on the first of these days.
    expect(next.map((date) => date.toISOString())).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
      '2026-03-31T00:30:00.000Z',
      '2026-04-01T00:30:00.000Z',
      '2026-04-02T00:30:00.000Z',
    ]);
  });

  it('moves on when a time passes, and follows the clock and the time zone', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    const trigger = schedule({ cron: '0 * * * *', everyMs: null });
    await one.set(trigger);
    const first = () => one.schedules.status(trigger).next[0]?.toISOString();
    expect(first()).toBe('2026-03-01T13:00:00.000Z');
    await one.time.pass(hourMs);
    expect(first()).toBe('2026-03-01T14:00:00.000Z');
    one.time.jump(-3 * dayMs);
    await one.time.pass(minuteMs);
    expect(first()).toBe('2026-02-26T14:00:00.000Z');
    one.time.zone = 'Asia/Kathmandu';
    await one.time.pass(minuteMs);
    expect(first()).toBe('2026-02-26T14:15:00.000Z');
  });

  it('calculates the times of 10,000 schedules once, not each time that they are listed', async () => {
    const one = scene('2026-03-01T12:30:00.000Z');
    const many = Array.from({ length: 10_000 }, (_, index) =>
      schedule({ id: `many-${index}`, cron: `${index % 60} ${index % 24} * * *`, everyMs: null }),
    );
    await one.set(...many);
    const read = () => {
      const began = performance.now();
      for (const trigger of many) one.schedules.status(trigger);
      return performance.now() - began;
    };
    const first = read();
    const times = [read(), read(), read(), read(), read()];
    expect(Math.min(...times)).toBeLessThan(first / 3);
  });
});
