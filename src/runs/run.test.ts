import { describe, expect, it } from 'vitest';

import { newRun } from '../../test/support/new-run.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { LiveRuns, StopRequest, stopCauseOf } from './run.ts';

interface Relation {
  /** The run that waits for this one. */
  parent?: string;
  isWaitedFor?: boolean;
}

/** Runs that have names, and the order in which they were stopped. */
function liveRunsOf(relations: Record<string, Relation>) {
  const live = new LiveRuns();
  const stopped: string[] = [];
  const signals = new Map<string, AbortSignal>();
  for (const [runId, { parent, isWaitedFor = parent !== undefined }] of Object.entries(relations)) {
    const record = queuedRun({ runId, parentRunId: parent ?? null, sync: isWaitedFor });
    const run = newRun(record, { scriptFolder: `/versions/${runId}` });
    const { signal } = run.stopping;
    signals.set(runId, signal);
    signal.addEventListener('abort', () => stopped.push(runId));
    live.add(run);
  }
  const causeOf = (runId: string) => {
    const signal = signals.get(runId);
    if (signal === undefined) throw new Error(`there is no run ${runId}`);
    return signal.aborted ? stopCauseOf(signal) : null;
  };
  return { live, stopped, causeOf };
}

describe('the live runs', () => {
  it('can be searched', () => {
    const { live } = liveRunsOf({ a: {}, b: {} });
    const isAt = (folder: string) => live.some(({ scriptFolder }) => scriptFolder === folder);
    expect([isAt('/versions/a'), isAt('/versions/c')]).toEqual([true, false]);
    live.remove('a');
    expect(isAt('/versions/a')).toBe(false);
  });
});

describe('stopping a run', () => {
  it('stops all runs that it waits for, each parent before its children', () => {
    const { live, stopped, causeOf } = liveRunsOf({
      leaf: { parent: 'middle' },
      middle: { parent: 'top' },
      top: {},
      second: { parent: 'top' },
    });
    expect(live.stop('top', 'cancelled')).toBe(true);
    expect(stopped[0]).toBe('top');
    expect(stopped.indexOf('middle')).toBeLessThan(stopped.indexOf('leaf'));
    expect([...stopped].sort()).toEqual(['leaf', 'middle', 'second', 'top']);
    for (const runId of stopped) expect(causeOf(runId)).toBe('cancelled');
  });

  it('does not stop its parent, its siblings and runs without a waiting parent', () => {
    const { live, stopped } = liveRunsOf({
      top: {},
      middle: { parent: 'top' },
      sibling: { parent: 'top' },
      leaf: { parent: 'middle' },
      loose: {},
    });
    live.stop('middle', 'cancelled');
    expect(stopped).toEqual(['middle', 'leaf']);
  });

  it('keeps the first cause', () => {
    const { live, stopped, causeOf } = liveRunsOf({ top: {}, child: { parent: 'top' } });
    live.stop('child', 'shutdown');
    live.stop('top', 'cancelled');
    live.stop('top', 'shutdown');
    expect([causeOf('child'), causeOf('top')]).toEqual(['shutdown', 'cancelled']);
    expect(stopped).toEqual(['child', 'top']);
  });

  it('stops children that were added after the first stop', () => {
    const { live, causeOf } = liveRunsOf({ top: {} });
    live.stop('top', 'cancelled');
    const late = newRun(queuedRun({ runId: 'late', parentRunId: 'top', sync: true }));
    live.add(late);
    live.stop('top', 'cancelled');
    expect(stopCauseOf(late.stopping.signal)).toBe('cancelled');
    expect(late.stopping.signal.aborted).toBe(true);
    expect(causeOf('top')).toBe('cancelled');
  });

  it('returns false for an unknown run and for a run that has ended', () => {
    const { live, stopped } = liveRunsOf({ a: {} });
    expect(live.stop('b', 'cancelled')).toBe(false);
    live.remove('a');
    expect(live.stop('a', 'cancelled')).toBe(false);
    expect(stopped).toEqual([]);
  });

  it('works while runs are removed during the stop', () => {
    const live = new LiveRuns();
    const stopped: string[] = [];
    for (const [runId, parentRunId] of [
      ['top', null],
      ['a', 'top'],
      ['b', 'top'],
    ] as const) {
      const run = newRun(queuedRun({ runId, parentRunId, sync: parentRunId !== null }));
      run.stopping.signal.addEventListener('abort', () => {
        stopped.push(runId);
        live.remove(runId);
      });
      live.add(run);
    }
    live.stop('top', 'cancelled');
    expect(stopped).toEqual(['top', 'a', 'b']);
  });
});

describe('stopping the children of a run', () => {
  it('does not stop the run itself', () => {
    const { live, stopped } = liveRunsOf({
      top: {},
      middle: { parent: 'top' },
      leaf: { parent: 'middle' },
      loose: {},
    });
    live.stopChildren('top', 'cancelled');
    expect(stopped).toEqual(['middle', 'leaf']);
  });

  it('works after the run itself has ended', () => {
    const { live, stopped } = liveRunsOf({ top: {}, child: { parent: 'top' } });
    live.remove('top');
    live.stopChildren('top', 'cancelled');
    expect(stopped).toEqual(['child']);
  });
});

describe('stopping all runs', () => {
  it('stops every run', () => {
    const { live, stopped, causeOf } = liveRunsOf({
      waited: { isWaitedFor: true },
      loose: {},
      child: { parent: 'waited' },
    });
    live.stopAll('shutdown', { sparing: 'none' });
    expect([...stopped].sort()).toEqual(['child', 'loose', 'waited']);
    for (const runId of stopped) expect(causeOf(runId)).toBe('shutdown');
  });

  it('can exclude runs that have a waiting caller', () => {
    const { live, stopped } = liveRunsOf({
      sync: { isWaitedFor: true },
      'child of sync': { parent: 'sync' },
      async: {},
    });
    live.stopAll('shutdown', { sparing: 'waited-for' });
    expect(stopped).toEqual(['async']);
  });

  it('stops the children of a stopped run, even if they have a waiting caller', () => {
    const { live, stopped } = liveRunsOf({
      async: {},
      'child of async': { parent: 'async' },
      sync: { isWaitedFor: true },
    });
    live.stopAll('shutdown', { sparing: 'waited-for' });
    expect(stopped).toEqual(['async', 'child of async']);
  });
});

describe('the cause of a stop', () => {
  it('is the requested cause, or a cancel if none was given', () => {
    expect(stopCauseOf(AbortSignal.abort(new StopRequest('shutdown')))).toBe('shutdown');
    expect(stopCauseOf(AbortSignal.abort(new Error('anything')))).toBe('cancelled');
  });
});

describe('waiting until all runs have ended', () => {
  it('resolves immediately if there are none', async () => {
    await new LiveRuns().whenEmpty();
  });

  it('resolves with the end of the last one, for all callers', async () => {
    const { live } = liveRunsOf({ a: {}, b: {} });
    const seen: string[] = [];
    const waiting = ['x', 'y'].map((name) => live.whenEmpty().then(() => seen.push(name)));
    live.remove('a');
    await Promise.resolve();
    expect(seen).toEqual([]);
    live.remove('b');
    await Promise.all(waiting);
    expect(seen).toEqual(['x', 'y']);
  });

  it('works repeatedly', async () => {
    const { live } = liveRunsOf({ a: {} });
    const first = live.whenEmpty();
    live.remove('a');
    await first;
    live.add(newRun(queuedRun({ runId: 'b' })));
    let isOver = false;
    const second = live.whenEmpty().then(() => {
      isOver = true;
    });
    live.remove('unknown');
    await Promise.resolve();
    expect(isOver).toBe(false);
    live.remove('b');
    await second;
  });
});
