import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { type Database, durably, Facts, NewerDatabaseError, openDatabase } from './database.ts';
import { migrations } from './migrations.ts';
import { SqliteHistoryStore } from './sqlite-history-store.ts';
import { bucketOf } from './sqlite-run-store.ts';

function open(path: string): Database {
  const database = openDatabase(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

const versionOf = (database: Database) => database.prepare('PRAGMA user_version').get()?.user_version;
const synchronousOf = (database: Database) => database.prepare('PRAGMA synchronous').get()?.synchronous;
const tablesOf = (database: Database) =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map((row) => row.name);

describe('the database', () => {
  it('is created with the current schema if there is none', async () => {
    const database = open(join(await tempFolder(), 'hob.db'));
    expect(versionOf(database)).toBe(migrations.length);
    expect(tablesOf(database)).toEqual(expect.arrayContaining(['facts', 'runs']));
  });

  it('is readable only by its user, with all its files', async () => {
    const before = process.umask(0);
    onTestFinished(() => {
      process.umask(before);
    });
    const path = join(await tempFolder(), 'hob.db');
    new Facts(open(path)).set('a', 'b');
    for (const file of [path, `${path}-wal`, `${path}-shm`])
      expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is unchanged if its schema is current', async () => {
    const path = join(await tempFolder(), 'hob.db');
    const first = open(path);
    new Facts(first).set('last_port', '9527');
    first.close();
    const again = open(path);
    expect(new Facts(again).get('last_port')).toBe('9527');
    expect(versionOf(again)).toBe(migrations.length);
  });

  it('is migrated from every earlier version', async () => {
    const folder = await tempFolder();
    for (let version = 0; version < migrations.length; version++) {
      const path = join(folder, `${version}.db`);
      const old = new DatabaseSync(path);
      for (const migration of migrations.slice(0, version)) old.exec(migration);
      old.exec(`PRAGMA user_version = ${version}`);
      old.close();
      const database = open(path);
      expect(versionOf(database)).toBe(migrations.length);
      expect(tablesOf(database)).toEqual(tablesOf(open(':memory:')));
    }
  });

  it('counts the recorded runs of an older version as if they ended now', async () => {
    const path = join(await tempFolder(), 'hob.db');
    const old = new DatabaseSync(path);
    for (const migration of migrations.slice(0, 2)) old.exec(migration);
    const insert = old.prepare(
      `INSERT INTO runs (run_id, token_hash, script_id, script_name, origin, depth, sync, state, end_cause, result, data, params,
         queued_at, started_at, ended_at, duration_ms)
         VALUES (?, ?, ?, 'name', 'execute', 0, 0, ?, ?, '{"code":0,"msg":"ok"}', '{}', '{}', ?, ?, ?, ?)`,
    );
    const at = '2024-05-01T12:00:00.000Z';
    insert.run('1', '1', 'a', 'succeeded', 'exit', at, at, at, 1000);
    insert.run('2', '2', 'a', 'succeeded', 'exit', at, at, at, 1001);
    insert.run('3', '3', 'a', 'failed', 'timeout', at, at, at, 0);
    insert.run('4', '4', 'b', 'failed', 'spawn-failed', at, null, at, null);
    insert.run('5', '5', 'b', 'running', null, at, at, null, null);
    insert.run('6', '6', 'b', 'unknown', 'lost', at, at, at, 0);
    old.exec('PRAGMA user_version = 2');
    old.close();
    const history = new SqliteHistoryStore(open(path));
    const { scripts } = await history.counts({ from: '2024-04-30', to: '2024-05-02', scriptId: null });
    expect(scripts.outcomes).toHaveLength(4);
    expect(scripts.outcomes).toEqual(
      expect.arrayContaining([
        { of: 'a', state: 'succeeded', endCause: 'exit', runs: 2 },
        { of: 'a', state: 'failed', endCause: 'timeout', runs: 1 },
        { of: 'b', state: 'failed', endCause: 'spawn-failed', runs: 1 },
      ]),
    );
    expect(scripts.durations).toEqual([
      { of: 'a', bucket: bucketOf(0), runs: 1, totalMs: 0 },
      { of: 'a', bucket: bucketOf(1000), runs: 2, totalMs: 2001 },
    ]);
  });

  it('of a newer Hob is refused and not changed', async () => {
    const path = join(await tempFolder(), 'hob.db');
    open(path).close();
    const newer = new DatabaseSync(path);
    newer.exec(`CREATE TABLE later (x); PRAGMA user_version = ${migrations.length + 1};`);
    newer.close();
    await copyFile(path, `${path}.before`);
    expect(() => openDatabase(path)).toThrow(NewerDatabaseError);
    expect(() => openDatabase(path)).toThrow(/newer Hob.*--home/);
    expect((await readFile(path)).equals(await readFile(`${path}.before`))).toBe(true);
    const still = new DatabaseSync(path);
    expect(still.prepare('PRAGMA user_version').get()?.user_version).toBe(migrations.length + 1);
    still.close();
  });

  it('is refused and not overwritten if the file is not a database', async () => {
    const path = join(await tempFolder(), 'hob.db');
    await writeFile(
      path,
      'this is a letter to my aunt, not a database; please do not overwrite it. '.repeat(50),
    );
    expect(() => openDatabase(path)).toThrow(/not a database/);
    expect(await readFile(path, 'utf8')).toContain('my aunt');
  });

  it('is never migrated partially: a failure keeps the old version', async () => {
    const path = join(await tempFolder(), 'hob.db');
    const old = new DatabaseSync(path);
    // Conflicts with the last table of the first migration.
    old.exec('CREATE TABLE facts (x)');
    old.close();
    expect(() => openDatabase(path)).toThrow(/facts/);
    const after = new DatabaseSync(path);
    onTestFinished(() => after.close());
    expect(after.prepare('PRAGMA user_version').get()?.user_version).toBe(0);
    expect(after.prepare("SELECT name FROM sqlite_master WHERE name = 'runs'").get()).toBeUndefined();
  });
});

describe('a durable write', () => {
  it('waits for the disk, without affecting other writes', async () => {
    const database = open(join(await tempFolder(), 'hob.db'));
    expect(synchronousOf(database)).toBe(1);
    let during: unknown;
    durably(database, () => {
      during = synchronousOf(database);
      new Facts(database).set('a', 'b');
    });
    expect(during).toBe(2);
    expect(synchronousOf(database)).toBe(1);
    expect(new Facts(database).get('a')).toBe('b');
  });

  it('that fails throws, without affecting the next write', async () => {
    const database = open(join(await tempFolder(), 'hob.db'));
    expect(() =>
      durably(database, () => {
        throw new Error('disk full');
      }),
    ).toThrow('disk full');
    expect(synchronousOf(database)).toBe(1);
  });
});

describe('a fact', () => {
  it('has the value that was set last, and is null before', () => {
    const facts = new Facts(open(':memory:'));
    expect(facts.get('last_port')).toBeNull();
    facts.set('last_port', '1');
    facts.set('last_port', '2');
    facts.set('其他', "it's");
    expect(facts.get('last_port')).toBe('2');
    expect(facts.get('其他')).toBe("it's");
  });
});
