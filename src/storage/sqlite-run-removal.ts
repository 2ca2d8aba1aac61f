import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { RunRemoval } from '../runs/history/retention-store.ts';
import { Feed } from '../shared/feed.ts';
import { type Database, named, transact } from './database.ts';

export interface ForgottenRuns {
  readonly runIds: readonly string[];
  /** Number of events of these runs. */
  readonly events: number;
}

/** Removes runs from SQLite. */
export class SqliteRunRemoval implements RunRemoval {
  /** Publishes the removed runs, for code that caches them. */
  readonly forgotten = new Feed<ForgottenRuns>();
  readonly #database: Database;
  readonly #forgetTexts: StatementSyncInstance;
  readonly #forget: StatementSyncInstance;
  readonly #forgetEvents: StatementSyncInstance;
  readonly #forgetNotifications: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    // The index has no copy of the texts. To remove an entry, it needs the original texts again.
    this.#forgetTexts = database.prepare(
      `INSERT INTO run_texts (run_texts, rowid, script_name, message)
         SELECT 'delete', seq, script_name, message FROM runs
         WHERE run_id IN (SELECT value FROM json_each(?)) AND ended_at IS NOT NULL AND tended = 1`,
    );
    this.#forget = database.prepare(
      'DELETE FROM runs WHERE run_id IN (SELECT value FROM json_each(?)) AND ended_at IS NOT NULL RETURNING run_id',
    );
    // Events contain the input and the result of the run.
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
