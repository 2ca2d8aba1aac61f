import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { RunRemoval } from '../runs/history/run-removal.ts';
import { type Database, named, transact } from './database.ts';

/** Forgets runs in SQLite. */
export class SqliteRunRemoval implements RunRemoval {
  readonly #database: Database;
  readonly #forgetTexts: StatementSyncInstance;
  readonly #forget: StatementSyncInstance;

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
  }

  forgetRuns(runIds: readonly string[]): string[] {
    const ids = JSON.stringify(runIds);
    return named(() =>
      transact(this.#database, () => {
        this.#forgetTexts.run(ids);
        return this.#forget.all(ids).map((row) => String(row.run_id));
      }),
    );
  }
}
