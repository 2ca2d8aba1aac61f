import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { ExplainedError, errnoOf } from '../shared/errors.ts';
import { claimPrivateFile } from '../shared/private-files.ts';
import { migrations } from './migrations.ts';

/** Small values that the service keeps across restarts. */
export class Facts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(name: string): string | null {
    const row = this.#database.prepare('SELECT value FROM facts WHERE name = ?').get(name);
    return row === undefined ? null : String(row.value);
  }

  set(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(name, value);
  }
}

export type Database = DatabaseSyncInstance;

/** Thrown for a database of a newer Hob: this version does not know its schema and might damage it. */
export class NewerDatabaseError extends ExplainedError {
  /** `release`: the version of that Hob, such as `0.4.0`, if the database has it. */
  constructor(path: string, version: number, release: string | null) {
    const known = migrations.length;
    const newer = release === null ? '' : ` ${release}`;
    super({
      en:
        `${path} was written by a newer Hob${newer} (schema version ${version}; this Hob supports ${known}). ` +
        'Install the newer Hob again, or choose another home with --home.',
      zh:
        `${path} 由更新版本的 Hob${newer} 写入（其版本为 ${version}，当前的 Hob 只支持到 ${known}）。` +
        '请重新安装较新的 Hob，或用 --home 指定其他数据目录。',
    });
    this.name = 'NewerDatabaseError';
  }
}

/** Opens the database and brings it up to date. `onCopied` receives the path of the copy that precedes a migration. */
export function openDatabase(path: string, onCopied: (copy: string) => void = () => {}): Database {
  // SQLite gives the files beside it the same mode.
  if (path !== ':memory:') claimPrivateFile(path);
  const database = new DatabaseSync(path);
  try {
    const version = knownVersion(database, path);
    // Version 0 is a new file.
    if (version > 0 && version < migrations.length) onCopied(copyDatabase(database, path, version));
    // Takes effect only for a new file. It allows `tidy` to return free pages to the disk.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL;');
    // NORMAL survives a crash of Hob. A write that must also survive a power failure uses FULL (see `durably`).
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
    // Checkpoints are made by a thread (see `Checkpointer`). SQLite makes its own only if the log exceeds 32 MiB.
    database.exec('PRAGMA wal_autocheckpoint = 8000;');
    migrate(database, version);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The schema version. Throws if this Hob does not know it. */
export function knownVersion(database: Database, path: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > migrations.length) throw new NewerDatabaseError(path, version, releaseOf(database));
  return version;
}

/** The Hob that used the database last. A newer schema may not hold it where this one does. */
function releaseOf(database: Database): string | null {
  try {
    const row = database.prepare("SELECT value FROM facts WHERE name = 'release'").get();
    return row === undefined ? null : String(row.value);
  } catch {
    return null;
  }
}

function migrate(database: Database, version: number): void {
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${migration}; PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

/**
 * Runs a write, and replaces the code of an error by its SQLite name (`SQLITE_FULL`). The package gives all errors the
 * same code, and a full disk is not a defect.
 */
export function named<Result>(write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    if (error instanceof Error && 'sqliteCodeName' in error)
      Object.assign(error, { code: error.sqliteCodeName });
    throw error;
  }
}

/** Performs all writes of `work` or none of them. Joins an open transaction. */
export function transact<Result>(database: Database, work: () => Result): Result {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may already have ended the transaction.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Runs a write that is on disk when this returns. The setting applies to the next transaction, so other writes are not
 * slower.
 */
export function durably<Result>(database: Database, write: () => Result): Result {
  database.exec('PRAGMA synchronous = FULL');
  try {
    return write();
  } finally {
    database.exec('PRAGMA synchronous = NORMAL');
  }
}

/** The last upgrade and the one before can be undone. */
const keptCopies = 2;

/**
 * Copies the database before a migration, to a private file next to it: `hob.db.schema-5-20270131T093000Z`. The copy is complete and on
 * the disk when this returns its path. Older copies are removed.
 */
function copyDatabase(database: DatabaseSyncInstance, path: string, schema: number): string {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const copy = `${path}.schema-${schema}-${date}`;
  const draft = `${path}.schema-copy`;
  try {
    // A process that was killed left it.
    removeDraft(draft);
    claimPrivateFile(draft);
    database.prepare('VACUUM INTO ?').run(draft);
    sync(draft, 'r+');
    renameSync(draft, copy);
    // Windows cannot open a folder.
    if (process.platform !== 'win32') sync(dirname(path), 'r');
  } catch (error) {
    try {
      removeDraft(draft);
    } catch {
      // The first error counts, and the next start removes the draft.
    }
    throw cannotCopy(path, error);
  }
  removeOldCopies(path);
  return copy;
}

/** SQLite would apply a journal that was left behind to the next draft. */
function removeDraft(draft: string): void {
  for (const file of [draft, `${draft}-journal`]) rmSync(file, { force: true });
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeOldCopies(path: string): void {
  const prefix = `${basename(path)}.schema-`;
  const dated = readdirSync(dirname(path)).flatMap((name) => {
    const date = name.startsWith(prefix) ? /^\d+-(\d{8}T\d{6}Z)$/.exec(name.slice(prefix.length))?.[1] : null;
    return date ? [{ name, date }] : [];
  });
  dated.sort((one, other) => (one.date < other.date ? 1 : -1));
  for (const { name } of dated.slice(keptCopies)) rmSync(join(dirname(path), name));
}

function cannotCopy(path: string, error: unknown): unknown {
  const sqlite =
    error instanceof Error && 'sqliteCodeName' in error ? String(error.sqliteCodeName) : undefined;
  const reason = sqlite ?? errnoOf(error);
  if (reason === undefined) return error;
  return new ExplainedError({
    en:
      `Hob cannot copy its database ${path} before the upgrade (${reason}), so it did not start and changed nothing. ` +
      'Make sure that the disk has room for a second copy and that you can write to the folder, then start Hob again.',
    zh:
      `升级之前无法备份数据库 ${path}（${reason}），因此 Hob 没有启动，也没有做任何更改。` +
      '请确认磁盘有足够的空间、您有权写入该文件夹，然后重新启动 Hob。',
  });
}
