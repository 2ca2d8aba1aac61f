import { randomUUID } from 'node:crypto';

import { expect, it } from 'vitest';

import { queuedRun } from '../../test/support/run-records.ts';
import { Feed } from '../shared/feed.ts';
import { RunEnds } from './run.ts';
import type { BriefRun, RunEvent, SeriesEnd } from './run-record.ts';

function setUp(...runs: BriefRun[]) {
  const known = new Map(runs.map((run) => [run.runId, run]));
  const events = new Feed<RunEvent>();
  const seriesEnds = new Feed<SeriesEnd>();
  const find = (runId: string) => known.get(runId) ?? null;
  const ends = new RunEnds({ events, seriesEnds, store: { findBrief: find, lastAttempt: find } });
  const end = (run: BriefRun) => {
    const ended = { ...run, endedAt: '2024-05-01T12:00:05.000Z' };
    known.set(run.runId, ended);
    events.publish({ type: 'ended', run: ended });
  };
  return { events, ends, end };
}

const never = new AbortController().signal;
const isSettled = async (promise: Promise<void>) => {
  const later = new Promise<'not yet'>((resolve) => setImmediate(resolve, 'not yet'));
  return (await Promise.race([promise, later])) !== 'not yet';
};

it('all callers that wait for a run are woken by its end, and by no other event', async () => {
  const [run, other] = [queuedRun(), queuedRun()];
  const { events, ends, end } = setUp(run, other);
  const waiting = [ends.wait(run.runId, never), ends.wait(run.runId, never)];
  const others = ends.wait(other.runId, never);
  events.publish({ type: 'started', run });
  expect(await Promise.all([...waiting, others].map(isSettled))).toEqual([false, false, false]);
  end(run);
  await Promise.all(waiting);
  expect(await isSettled(others)).toBe(false);
  expect(ends.waiting).toBe(1);
  end(other);
  await others;
  expect(ends.waiting).toBe(0);
});

it('does not wait for a run that has ended or does not exist', async () => {
  const run = queuedRun({ endedAt: '2024-05-01T12:00:05.000Z' });
  const { ends } = setUp(run);
  await ends.wait(run.runId, never);
  await ends.wait(randomUUID(), never);
  expect(ends.waiting).toBe(0);
});

it('a caller that gives up is removed, and the others keep waiting', async () => {
  const run = queuedRun();
  const { ends, end } = setUp(run);
  const leaving = new AbortController();
  const left = ends.wait(run.runId, leaving.signal);
  const stays = ends.wait(run.runId, never);
  leaving.abort();
  await left;
  expect(await isSettled(stays)).toBe(false);
  expect(ends.waiting).toBe(1);
  end(run);
  await stays;
  await ends.wait(run.runId, AbortSignal.abort());
  expect(ends.waiting).toBe(0);
});

it('an end during the lookup is not missed', async () => {
  const run = queuedRun();
  const events = new Feed<RunEvent>();
  // The run ends right after the lookup.
  const findBrief = () => {
    queueMicrotask(() => events.publish({ type: 'ended', run }));
    return run;
  };
  const store = { findBrief, lastAttempt: findBrief };
  await new RunEnds({ events, seriesEnds: new Feed(), store }).wait(run.runId, never);
});
