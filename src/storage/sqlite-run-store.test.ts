import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { describeRunStore } from '../../test/contracts/run-store.ts';
import { tempFolder } from '../../test/support/hob.ts';
import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { isExhaustion } from '../shared/errors.ts';
import { type Database, openDatabase } from './database.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

function open(path: string): Database {
  const database = openDatabase(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

describeRunStore('SQLite', () => new SqliteRunStore(open(':memory:')));
describeRunStore('memory', () => new MemoryRunStore());

const record = queuedRun({ origin: 'cli', depth: 2 });

describe('runs on disk', () => {
  it('are refused with the SQLite name of the error if the disk is full', async () => {
    const database = open(join(await tempFolder(), 'hob.db'));
    const store = new SqliteRunStore(database);
    const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const write = () => {
      for (let index = 0; index < 1000; index++) {
        const data = 'x'.repeat(4000);
        store.insert({ ...record, runId: randomUUID(), data }, randomUUID(), { durable: index % 2 === 0 });
      }
    };
    expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
    expect(isExhaustion('SQLITE_FULL')).toBe(true);
  });

  it('are present after the database is opened again', async () => {
    const path = join(await tempFolder(), 'hob.db');
    const before = open(path);
    new SqliteRunStore(before).insert(record, 'hash', { durable: true });
    before.close();
    const store = new SqliteRunStore(open(path));
    expect(store.find(record.runId)).toEqual(record);
    expect(store.findByToken('hash')).toEqual({ runId: record.runId, depth: 2 });
    expect(store.unfinished()).toEqual([record]);
  });

  it('cannot be read after the database is closed, and the store is no longer open', () => {
    const database = open(':memory:');
    const store = new SqliteRunStore(database);
    expect(store.isOpen).toBe(true);
    database.close();
    expect(store.isOpen).toBe(false);
    expect(() => store.unfinished()).toThrow();
  });

  it('are visible to another connection as soon as they are written', async () => {
    const path = join(await tempFolder(), 'hob.db');
    const store = new SqliteRunStore(open(path));
    const other = new SqliteRunStore(open(path));
    store.insert(record, 'hash', { durable: false });
    expect(other.find(record.runId)).toEqual(record);
    store.markStarted(
      record.runId,
      { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' },
      { durable: true },
    );
    expect(other.find(record.runId)?.state).toBe('running');
  });

  it('with values that Hob never writes cause an error', async () => {
    const database = open(':memory:');
    const store = new SqliteRunStore(database);
    store.insert(record, 'hash', { durable: false });
    database.exec("UPDATE runs SET state = 'dancing'");
    expect(() => store.find(record.runId)).toThrow(/dancing/);
  });

  it('are written with the requested durability', async () => {
    const path = join(await tempFolder(), 'hob.db');
    const database = open(path);
    const store = new SqliteRunStore(database);
    store.insert(record, 'the hash of a token', { durable: true });
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
    // The write-ahead log is the part that survives a power failure.
    expect(await readFile(`${path}-wal`)).toSatisfy((bytes: Buffer) => bytes.includes('the hash of a token'));
  });
});
