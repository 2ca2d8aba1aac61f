import { randomUUID } from 'node:crypto';

import { expect, it, onTestFinished } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import type { RunEnding } from '../runs/run-record.ts';
import { type Database, openDatabase } from './database.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { SqliteRetentionStore, SqliteRunRemoval } from './sqlite-retention-store.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

const ending = runEnding({
  result: Uint8Array.from(Buffer.from('{"code":0,"msg":"three images done"}')),
  message: 'three images done',
});

function setUp() {
  const database: Database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = new SqliteRunStore(database);
  const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  return {
    database,
    store,
    removal: new SqliteRunRemoval(database),
    one,
    add(...endings: RunEnding[]): string {
      const runId = randomUUID();
      store.insert(queuedRun({ runId }), `token of ${runId}`, { durable: false });
      for (const each of endings) store.finish(runId, each);
      return runId;
    },
    /** The work that is done for an ended run some time after its end. */
    tend(runId: string) {
      const { seq } = database.prepare('SELECT seq FROM runs WHERE run_id = ?').get(runId) ?? {};
      database.exec(`INSERT INTO run_texts (rowid, script_name, message) SELECT seq, script_name, message FROM runs WHERE seq = ${seq};
        UPDATE runs SET tended = 1, disk_bytes = 100 WHERE seq = ${seq}`);
    },
    matches: () => one(`SELECT count(*) FROM run_texts WHERE run_texts MATCH '"images done"'`),
    /** Compares the index with the table. */
    checkTexts: () => database.exec(`INSERT INTO run_texts (run_texts, rank) VALUES ('integrity-check', 1)`),
  };
}

it('an ended run is removed with its entries in the text index', () => {
  const { store, removal, add, tend, matches, checkTexts, one } = setUp();
  const [gone, stays, untended] = [add(ending), add(ending), add(ending)];
  for (const runId of [gone, stays]) tend(runId);
  expect(matches()).toBe(2);
  expect(removal.forgetRuns([gone, untended]).sort()).toEqual([gone, untended].sort());
  expect(store.has(gone)).toBe(false);
  expect(store.findByToken(`token of ${gone}`)).toBeNull();
  expect(store.has(stays)).toBe(true);
  expect(matches()).toBe(1);
  expect(checkTexts).not.toThrow();
  expect(one('SELECT runs FROM history')).toBe(1);
  expect(one('SELECT bytes FROM history')).toBe(100);
});

it('no attempt of a series expires while a later attempt is queued or due', () => {
  const { database, store, add } = setUp();
  const retention = new SqliteRetentionStore(database);
  const limits = { endedBefore: '2030-01-01T00:00:00.000Z', runs: null, bytes: null };
  const first = add(ending);
  const second = randomUUID();
  store.insert(queuedRun({ runId: second, firstRunId: first, attempt: 2 }), 'second', { durable: false });
  expect(retention.expired(limits, 10)).toEqual([]);
  store.finish(second, { ...ending, nextAttemptAt: '2024-05-01T13:00:00.000Z' });
  expect(retention.expired(limits, 10)).toEqual([]);
  expect(retention.expired({ ...limits, endedBefore: null, runs: 0 }, 10)).toEqual([]);
  store.setNextAttempt(second, null);
  expect(retention.expired(limits, 10).sort()).toEqual([first, second].sort());
});

it('the counts by day and the keys of removed runs stay', () => {
  const { database, removal, add, one } = setUp();
  const runId = add(ending);
  const use = { scriptId: 'a script', keyHash: 'hash', bodyMac: 'mac' };
  const keys = new SqliteKeyStore(database);
  keys.put(use, { runId, usedAt: ending.endedAt ?? '', since: '' });
  removal.forgetRuns([runId]);
  expect(one('SELECT outcomes FROM run_days')).toBe('[["succeeded","exit",1]]');
  expect(one('SELECT durations FROM run_days')).toBe('[[40,1,1000]]');
  expect(keys.find(use, '')).toEqual({ runId, bodyMac: 'mac' });
});

it('a run without an end stays, and an unknown run is not reported as removed', () => {
  const { store, removal, add, one } = setUp();
  const [live, ended] = [add(), add(ending)];
  expect(removal.forgetRuns([live, randomUUID(), ended])).toEqual([ended]);
  expect(removal.forgetRuns([live, ended])).toEqual([]);
  expect(removal.forgetRuns([])).toEqual([]);
  expect(store.find(live)?.state).toBe('queued');
  expect(one('SELECT runs FROM history')).toBe(1);
});

it('late writes for a removed run have no effect', () => {
  const { store, removal, add } = setUp();
  const runId = add(ending);
  removal.forgetRuns([runId]);
  store.recordLeftRunning([{ runId, leftRunning: 3 }]);
  store.markStarted(runId, { startedAt: ending.endedAt ?? '', executor: 'x' }, { durable: false });
  expect(store.finish(runId, ending)).toBeNull();
  expect(store.findBrief(runId)).toBeNull();
});

it('many runs are removed at once', () => {
  const { removal, add, tend, matches, checkTexts } = setUp();
  const runIds = Array.from({ length: 200 }, () => add(ending));
  for (const runId of runIds) tend(runId);
  expect(removal.forgetRuns(runIds)).toHaveLength(200);
  expect(matches()).toBe(0);
  expect(checkTexts).not.toThrow();
});
