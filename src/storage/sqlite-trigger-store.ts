import type { StatementSyncInstance } from '@photostructure/sqlite';

import { firingReasons } from '../contract/firings.ts';
import { firingOutcomes } from '../contract/values.ts';
import type {
  Firing,
  FiringPage,
  HandedFile,
  Handover,
  StoredFiring,
  TriggerStore,
} from '../triggers/trigger-store.ts';
import { type Database, durably, named, transact } from './database.ts';
import { oneOf, type Row } from './sqlite-run-store.ts';

/** Firings kept for each trigger. A trigger that fires each minute shows a week. */
const keptFirings = 10_000;
/** Old firings are removed in groups, because each removal counts them. */
const pruneStep = 100;

const columns = 'seq, trigger_id, key, due_at, recorded_at, outcome, reason, detail, run_id';

const reasons = Object.keys(firingReasons).filter(
  (name): name is keyof typeof firingReasons => name in firingReasons,
);

/** Stores the records of triggers in SQLite. */
export class SqliteTriggerStore implements TriggerStore {
  readonly #database: Database;
  readonly #insert: StatementSyncInstance;
  readonly #find: StatementSyncInstance;
  readonly #page: StatementSyncInstance;
  readonly #latest: StatementSyncInstance;
  readonly #prune: StatementSyncInstance;
  readonly #position: StatementSyncInstance;
  readonly #setPosition: StatementSyncInstance;
  readonly #putFile: StatementSyncInstance;
  readonly #removeFile: StatementSyncInstance;
  readonly #putHandover: StatementSyncInstance;
  /** Firings recorded since the last removal of old ones, by trigger. */
  readonly #recorded = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO trigger_firings (trigger_id, key, due_at, recorded_at, outcome, reason, detail, run_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#find = database.prepare(`SELECT ${columns} FROM trigger_firings WHERE trigger_id = ? AND key = ?`);
    this.#page = database.prepare(
      `SELECT ${columns} FROM trigger_firings WHERE trigger_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    );
    this.#latest = database.prepare(
      `SELECT ${columns} FROM trigger_firings WHERE seq IN
         (SELECT (SELECT max(seq) FROM trigger_firings WHERE trigger_id = wanted.value) FROM json_each(?) AS wanted)`,
    );
    this.#prune = database.prepare(
      `DELETE FROM trigger_firings WHERE trigger_id = ?1 AND seq <=
         (SELECT seq FROM trigger_firings WHERE trigger_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${keptFirings})`,
    );
    this.#position = database.prepare('SELECT position FROM trigger_positions WHERE trigger_id = ?');
    this.#setPosition = database.prepare('INSERT OR REPLACE INTO trigger_positions VALUES (?, ?)');
    this.#putFile = database.prepare('INSERT OR REPLACE INTO trigger_files VALUES (?, ?, ?, ?, ?)');
    this.#removeFile = database.prepare('DELETE FROM trigger_files WHERE trigger_id = ? AND path = ?');
    this.#putHandover = database.prepare(
      `INSERT INTO trigger_handovers (trigger_id, key, files, chosen_at, run_id) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (trigger_id, key) DO UPDATE SET files = excluded.files, run_id = excluded.run_id`,
    );
  }

  atomically<Result>(work: () => Result, { durable }: { durable: boolean }): Result {
    const write = () => transact(this.#database, work);
    const isOwn = durable && !this.#database.isTransaction;
    return named(() => (isOwn ? durably(this.#database, write) : write()));
  }

  record(firing: Firing): boolean {
    const { triggerId, key, dueAt, recordedAt, outcome, reason, detail, runId } = firing;
    return this.atomically(
      () => {
        const values = [triggerId, key, dueAt, recordedAt, outcome, reason, detail, runId];
        if (this.#insert.run(...values).changes === 0) return false;
        const count = (this.#recorded.get(triggerId) ?? pruneStep - 1) + 1;
        this.#recorded.set(triggerId, count % pruneStep);
        if (count >= pruneStep) this.#prune.run(triggerId);
        return true;
      },
      { durable: false },
    );
  }

  find(triggerId: string, key: string): StoredFiring | null {
    const row = this.#find.get(triggerId, key);
    return row === undefined ? null : toFiring(row);
  }

  page(triggerId: string, { before, limit }: { before: number | null; limit: number }): FiringPage {
    const rows = this.#page.all(triggerId, before ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const firings = rows.slice(0, limit).map(toFiring);
    return { firings, next: rows.length > limit ? (firings.at(-1)?.seq ?? null) : null };
  }

  latest(triggerIds: readonly string[]): ReadonlyMap<string, StoredFiring> {
    const firings = this.#latest.all(JSON.stringify(triggerIds)).map(toFiring);
    return new Map(firings.map((firing) => [firing.triggerId, firing]));
  }

  position(triggerId: string): string | null {
    const row = this.#position.get(triggerId);
    return row === undefined ? null : String(row.position);
  }

  positions(): ReadonlyMap<string, string> {
    const rows = this.#database.prepare('SELECT trigger_id, position FROM trigger_positions').all();
    return new Map(rows.map((row) => [String(row.trigger_id), String(row.position)]));
  }

  setPosition(triggerId: string, position: string): void {
    named(() => this.#setPosition.run(triggerId, position));
  }

  recordHanded(triggerId: string, files: readonly HandedFile[]): void {
    this.atomically(
      () => {
        for (const { path, inode, modifiedMs, bytes } of files)
          this.#putFile.run(triggerId, path, inode, modifiedMs, bytes);
      },
      { durable: false },
    );
  }

  forgetHanded(triggerId: string, paths: readonly string[]): void {
    this.atomically(
      () => {
        for (const path of paths) this.#removeFile.run(triggerId, path);
      },
      { durable: false },
    );
  }

  handed(triggerId: string): readonly HandedFile[] {
    const rows = this.#database
      .prepare('SELECT path, inode, modified_ms, bytes FROM trigger_files WHERE trigger_id = ?')
      .all(triggerId);
    return rows.map((row) => ({
      path: String(row.path),
      inode: String(row.inode),
      modifiedMs: Number(row.modified_ms),
      bytes: Number(row.bytes),
    }));
  }

  putHandover({ triggerId, key, files, chosenAt, runId }: Handover): void {
    named(() => this.#putHandover.run(triggerId, key, JSON.stringify(files), chosenAt, runId));
  }

  removeHandover(triggerId: string, key: string): void {
    const statement = 'DELETE FROM trigger_handovers WHERE trigger_id = ? AND key = ?';
    named(() => this.#database.prepare(statement).run(triggerId, key));
  }

  handovers(triggerId: string): readonly Handover[] {
    const rows = this.#database
      .prepare(
        'SELECT key, files, chosen_at, run_id FROM trigger_handovers WHERE trigger_id = ? ORDER BY seq',
      )
      .all(triggerId);
    return rows.map((row) => ({
      triggerId,
      key: String(row.key),
      files: JSON.parse(String(row.files)),
      chosenAt: String(row.chosen_at),
      runId: row.run_id === null ? null : String(row.run_id),
    }));
  }

  forget(triggerId: string): void {
    this.#recorded.delete(triggerId);
    this.atomically(
      () => {
        for (const table of ['trigger_firings', 'trigger_positions', 'trigger_files', 'trigger_handovers'])
          this.#database.prepare(`DELETE FROM ${table} WHERE trigger_id = ?`).run(triggerId);
      },
      { durable: true },
    );
  }
}

function toFiring(row: Row): StoredFiring {
  return {
    seq: Number(row.seq),
    triggerId: String(row.trigger_id),
    key: row.key === null ? null : String(row.key),
    dueAt: String(row.due_at),
    recordedAt: String(row.recorded_at),
    outcome: oneOf(firingOutcomes, row.outcome),
    reason: row.reason === null ? null : oneOf(reasons, row.reason),
    detail: row.detail === null ? null : String(row.detail),
    runId: row.run_id === null ? null : String(row.run_id),
  };
}
