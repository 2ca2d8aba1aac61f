import { randomUUID } from 'node:crypto';

import { describe, expect, it, onTestFinished } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import type { RunState } from '../contract/values.ts';
import { openDatabase } from './database.ts';
import { SqliteHistoryStore } from './sqlite-history-store.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

function setUp() {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = new SqliteRunStore(database);
  const history = new SqliteHistoryStore(database);
  let queued = Date.parse('2024-05-01T12:00:00.000Z');
  const add = (scriptId: string, state: RunState = 'succeeded', scriptName = 'x'): string => {
    queued += 1000;
    const run = queuedRun({ scriptId, scriptName, queuedAt: new Date(queued).toISOString() });
    store.insert(run, `token of ${run.runId}`, { durable: false });
    if (state === 'running')
      store.markStarted(run.runId, { startedAt: run.queuedAt, executor: 'x' }, { durable: false });
    if (state !== 'queued' && state !== 'running')
      store.finish(run.runId, runEnding({ state, durationMs: 12 }));
    return run.runId;
  };
  return { history, store, add };
}

describe('the latest outcomes', () => {
  it('are empty without runs', async () => {
    const { history } = setUp();
    expect(await history.outcomes({ scriptIds: null, runsEach: 5 })).toEqual([]);
    expect(await history.outcomes({ scriptIds: [randomUUID()], runsEach: 5 })).toEqual([]);
  });

  it('are limited for each script, with the newest runs and scripts first', async () => {
    const { history, add } = setUp();
    const [often, once] = [randomUUID(), randomUUID()];
    const runs = [add(often), add(often, 'failed'), add(often, 'unknown')];
    const other = add(once);
    const last = add(often, 'running', 'its new name');
    const found = await history.outcomes({ scriptIds: null, runsEach: 3 });
    expect(found.map(({ scriptId }) => scriptId)).toEqual([often, once]);
    expect(found[0]?.scriptName).toBe('its new name');
    expect(found[0]?.runs.map(({ runId }) => runId)).toEqual([last, runs[2], runs[1]]);
    expect(found[0]?.runs.map(({ state }) => state)).toEqual(['running', 'unknown', 'failed']);
    expect(found[0]?.runs.map(({ durationMs }) => durationMs)).toEqual([null, 12, 12]);
    expect(found[1]?.runs).toEqual([
      {
        runId: other,
        state: 'succeeded',
        endCause: 'exit',
        queuedAt: '2024-05-01T12:00:04.000Z',
        durationMs: 12,
      },
    ]);
  });

  it('include only the requested scripts', async () => {
    const { history, add } = setUp();
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [a, b, c]) add(id);
    const found = await history.outcomes({ scriptIds: [a, c, randomUUID()], runsEach: 20 });
    expect(found.map(({ scriptId }) => scriptId)).toEqual([c, a]);
  });

  it('of many scripts are read in steps that yield to other work', async () => {
    const { history, store, add } = setUp();
    const ids = Array.from({ length: 300 }, () => randomUUID());
    store.atomically(
      () => {
        for (let round = 0; round < 12; round++) for (const id of ids) add(id);
      },
      { durable: false },
    );
    let turns = 0;
    const countTurn = () => {
      turns++;
      turn = setImmediate(countTurn);
    };
    let turn = setImmediate(countTurn);
    const found = await history.outcomes({ scriptIds: null, runsEach: 10 });
    clearImmediate(turn);
    expect(found).toHaveLength(300);
    expect(found.every(({ runs }) => runs.length === 10)).toBe(true);
    expect(new Set(found.map(({ scriptId }) => scriptId))).toEqual(new Set(ids));
    expect(turns).toBeGreaterThan(1);
  });
});
