import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { RunRemoval } from '../runs/history/run-removal.ts';
import { Feed } from '../shared/feed.ts';
import { type Database, named, transact } from './database.ts';

export interface ForgottenRuns {
  readonly runIds: readonly string[];
  /** How many events told of them. */
  readonly events: number;
}

/** Forgets runs in SQLite. */
export class SqliteRunRemoval implements RunRemoval {
  /** What is gone, for those who have some of it in memory. */
  readonly forgotten = new Feed<ForgottenRuns>();
  readonly #database: Database;
  readonly #forgetTexts: StatementSyncInstance;
  readonly #forget: StatementSyncInstance;
  readonly #forgetEvents: StatementSyncInstance;
  readonly #forgetNotifications: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    // The index has no copy of the texts: it finds what is to go by being told once more what it was.
    this.#forgetTexts = database.prepare(
      `INSERT INTO run_texts (run_texts, rowid, script_name, message)
         SELECT 'delete', seq, script_name, message FROM runs
         WHERE run_id IN (SELECT value FROM json_each(?)) AND ended_at IS NOT NULL AND tended = 1`,
    );
    this.#forget = database.prepare(
      'DELETE FROM runs WHERE run_id IN (SELECT value FROM json_each(?)) AND ended_at IS NOT NULL RETURNING run_id',
    );
    // They have what the run was given and what came of it.
    this.#forgetEvents = database.prepare(
      'DELETE FROM events WHERE run_id IN (SELECT value FROM json_each(?))',
    );
    this.#forgetNotifications = database.prepare(
      'DELETE FROM notifications WHERE run_id IN (SELECT value FROM json_each(?))',
    );
  }

  forgetRuns(runIds: readonly string[]): string[] {
    const ids = JSON.stringify(runIds);
    const forgotten = named(() =>
      transact(this.#database, () => {
        this.#forgetTexts.run(ids);
        const gone = this.#forget.all(ids).map((row) => String(row.run_id));
        const goneIds = JSON.stringify(gone);
        const { changes } = this.#forgetEvents.run(goneIds);
        this.#forgetNotifications.run(goneIds);
        return { runIds: gone, events: Number(changes) };
      }),
    );
    if (forgotten.runIds.length > 0) this.forgotten.publish(forgotten);
    return forgotten.runIds;
  }
}
