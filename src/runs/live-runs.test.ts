import { describe, expect, it } from 'vitest';

import { newRun } from '../../test/support/new-run.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { LiveRuns, StopRequest, stopCauseOf } from './live-runs.ts';

interface Relation {
  /** The run that waits for this one. */
  parent?: string;
  isWaitedFor?: boolean;
}

/** Runs that are known by name, and the order in which they were stopped. */
function openYard(relations: Record<string, Relation>) {
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

describe('the runs that have no end', () => {
  it('can be looked through', () => {
    const { live } = openYard({ a: {}, b: {} });
    const isAt = (folder: string) => live.some(({ scriptFolder }) => scriptFolder === folder);
    expect([isAt('/versions/a'), isAt('/versions/c')]).toEqual([true, false]);
    live.remove('a');
    expect(isAt('/versions/a')).toBe(false);
  });
});

describe('stopping a run', () => {
  it('stops all that it waits for, each parent before its children', () => {
    const { live, stopped, causeOf } = openYard({
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

  it('spares its parent, its siblings, and what nobody waits for', () => {
    const { live, stopped } = openYard({
      top: {},
      middle: { parent: 'top' },
      sibling: { parent: 'top' },
      leaf: { parent: 'middle' },
      loose: {},
    });
    live.stop('middle', 'cancelled');
    expect(stopped).toEqual(['middle', 'leaf']);
  });

  it('counts with the first cause given', () => {
    const { live, stopped, causeOf } = openYard({ top: {}, child: { parent: 'top' } });
    live.stop('child', 'shutdown');
    live.stop('top', 'cancelled');
    live.stop('top', 'shutdown');
    expect([causeOf('child'), causeOf('top')]).toEqual(['shutdown', 'cancelled']);
    expect(stopped).toEqual(['child', 'top']);
  });

  it('reaches children that it got after it was stopped', () => {
    const { live, causeOf } = openYard({ top: {} });
    live.stop('top', 'cancelled');
    const late = newRun(queuedRun({ runId: 'late', parentRunId: 'top', sync: true }));
    live.add(late);
    live.stop('top', 'cancelled');
    expect(stopCauseOf(late.stopping.signal)).toBe('cancelled');
    expect(late.stopping.signal.aborted).toBe(true);
    expect(causeOf('top')).toBe('cancelled');
  });

  it('is of no use when there is no such run, or no longer', () => {
    const { live, stopped } = openYard({ a: {} });
    expect(live.stop('b', 'cancelled')).toBe(false);
    live.remove('a');
    expect(live.stop('a', 'cancelled')).toBe(false);
    expect(stopped).toEqual([]);
  });

  it('does not care that runs leave while they are being stopped', () => {
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
  it('leaves the run itself alone', () => {
    const { live, stopped } = openYard({
      top: {},
      middle: { parent: 'top' },
      leaf: { parent: 'middle' },
      loose: {},
    });
    live.stopChildren('top', 'cancelled');
    expect(stopped).toEqual(['middle', 'leaf']);
  });

  it('works though the run itself has ended', () => {
    const { live, stopped } = openYard({ top: {}, child: { parent: 'top' } });
    live.remove('top');
    live.stopChildren('top', 'cancelled');
    expect(stopped).toEqual(['child']);
  });
});

describe('stopping all runs', () => {
  it('takes every one', () => {
    const { live, stopped, causeOf } = openYard({
      waited: { isWaitedFor: true },
      loose: {},
      child: { parent: 'waited' },
    });
    live.stopAll('shutdown', { sparing: 'none' });
    expect([...stopped].sort()).toEqual(['child', 'loose', 'waited']);
    for (const runId of stopped) expect(causeOf(runId)).toBe('shutdown');
  });

  it('can spare those that somebody waits for', () => {
    const { live, stopped } = openYard({
      sync: { isWaitedFor: true },
      'child of sync': { parent: 'sync' },
      async: {},
    });
    live.stopAll('shutdown', { sparing: 'waited-for' });
    expect(stopped).toEqual(['async']);
  });

  it('takes along what a stopped one waits for, though those are waited for', () => {
    const { live, stopped } = openYard({
      async: {},
      'child of async': { parent: 'async' },
      sync: { isWaitedFor: true },
    });
    live.stopAll('shutdown', { sparing: 'waited-for' });
    expect(stopped).toEqual(['async', 'child of async']);
  });
});

describe('the cause of a stop', () => {
  it('is what was asked for, and a cancel where nobody said', () => {
    expect(stopCauseOf(AbortSignal.abort(new StopRequest('shutdown')))).toBe('shutdown');
    expect(stopCauseOf(AbortSignal.abort(new Error('anything')))).toBe('cancelled');
  });
});

describe('waiting until all runs have ended', () => {
  it('is over at once when there are none', async () => {
    await new LiveRuns().whenEmpty();
  });

  it('is over with the last one, for everybody who waits', async () => {
    const { live } = openYard({ a: {}, b: {} });
    const seen: string[] = [];
    const waiting = ['x', 'y'].map((name) => live.whenEmpty().then(() => seen.push(name)));
    live.remove('a');
    await Promise.resolve();
    expect(seen).toEqual([]);
    live.remove('b');
    await Promise.all(waiting);
    expect(seen).toEqual(['x', 'y']);
  });

  it('can be done again', async () => {
    const { live } = openYard({ a: {} });
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
