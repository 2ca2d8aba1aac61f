import { expect, it, onTestFinished } from 'vitest';

import { describeKeyStore } from '../../test/contracts/key-store.ts';
import { MemoryKeyStore } from '../../test/support/memory-key-store.ts';
import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import { type Database, openDatabase } from './database.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

function open(): Database {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  return database;
}

describeKeyStore('SQLite', () => {
  const database = open();
  const runs = new SqliteRunStore(database);
  return {
    keys: new SqliteKeyStore(database),
    begin: (runId) => runs.insert(queuedRun({ runId }), `token of ${runId}`, { durable: false }),
    end: (runId) => runs.finish(runId, runEnding()),
  };
});
describeKeyStore('memory', () => {
  const unfinished = new Set<string>();
  return {
    keys: new MemoryKeyStore((runId) => unfinished.has(runId)),
    begin: (runId) => unfinished.add(runId),
    end: (runId) => unfinished.delete(runId),
  };
});

const use = { scriptId: 'script', keyHash: 'hash', bodyMac: 'mac' };
const owner = { runId: 'run', usedAt: '2024-05-01T12:00:00.000Z', since: '2024-04-30T12:00:00.000Z' };

it('a key is not stored if the transaction of its run fails', () => {
  const database = open();
  const keys = new SqliteKeyStore(database);
  const write = () => {
    keys.put(use, owner);
    throw new Error('no room for the run');
  };
  expect(() => new SqliteRunStore(database).atomically(write, { durable: true })).toThrow('no room');
  expect(keys.find(use, owner.since)).toBeNull();
});

it('a key is known until the last attempt of its series has ended', () => {
  const database = open();
  const [keys, runs] = [new SqliteKeyStore(database), new SqliteRunStore(database)];
  const later = '2024-05-03T12:00:00.000Z';
  const failed = runEnding({ state: 'failed', exitCode: 3 });
  const second = queuedRun({ runId: 'second', firstRunId: 'run', attempt: 2 });
  runs.insert(queuedRun({ runId: 'run' }), 'token', { durable: false });
  keys.put(use, owner);
  runs.finish('run', { ...failed, nextAttemptAt: later });
  expect(keys.find(use, later)?.runId).toBe('run');
  runs.insert(second, 'other token', { durable: false });
  runs.setNextAttempt('run', null);
  expect(keys.find(use, later)?.runId).toBe('run');
  runs.finish('second', { ...failed, nextAttemptAt: later });
  expect(keys.find(use, later)?.runId).toBe('run');
  runs.setNextAttempt('second', null);
  expect(keys.find(use, later)).toBeNull();
});

it('a new key removes only a limited number of expired ones', () => {
  const database = open();
  const keys = new SqliteKeyStore(database);
  for (let index = 0; index < 100; index++)
    keys.put({ ...use, scriptId: `${index}` }, { ...owner, since: '' });
  keys.put(use, { ...owner, since: '2025-01-01T00:00:00.000Z', usedAt: '2025-01-02T00:00:00.000Z' });
  const { left } = database.prepare('SELECT count(*) AS left FROM idempotency_keys').get() ?? {};
  expect(left).toBe(81);
});
