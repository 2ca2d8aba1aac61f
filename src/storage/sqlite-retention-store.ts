import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { FolderSize, RetentionLimits, RetentionStore } from '../runs/history/retention-store.ts';
import { type Database, named, transact } from './database.ts';

/** What a record takes beside its texts, roughly: its other columns, and its entries in the indexes. */
const recordBytes = 1024;

/** What is merged of the index in one go. More hold up others: of pages that cancel each other out many are read for one written. */
const mergedPages = 8;

/** Sizes and limits of the history in SQLite. */
export class SqliteRetentionStore implements RetentionStore {
  readonly #database: Database;
  readonly #untended: StatementSyncInstance;
  readonly #addTexts: StatementSyncInstance;
  readonly #measure: StatementSyncInstance;
  readonly #totals: StatementSyncInstance;
  readonly #mergeTexts: StatementSyncInstance;
  readonly #changes: StatementSyncInstance;
  readonly #tooOld: StatementSyncInstance;
  readonly #oldest: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#untended = database.prepare(
      'SELECT run_id FROM runs WHERE tended = 0 AND ended_at IS NOT NULL ORDER BY seq LIMIT ?',
    );
    const given = `FROM json_each(?) AS given CROSS JOIN runs ON run_id = given.value ->> 'runId'
      WHERE tended = 0 AND ended_at IS NOT NULL`;
    this.#addTexts = database.prepare(
      `INSERT INTO run_texts (rowid, script_name, message) SELECT seq, script_name, message ${given}`,
    );
    this.#measure = database.prepare(
      `UPDATE runs SET tended = 1, disk_bytes = given.value ->> 'folderBytes' + ${recordBytes} + octet_length(data)
           + octet_length(params) + coalesce(octet_length(result), 0)
         FROM json_each(?) AS given WHERE run_id = given.value ->> 'runId' AND tended = 0 AND ended_at IS NOT NULL`,
    );
    this.#totals = database.prepare('SELECT runs, bytes FROM history');
    this.#mergeTexts = database.prepare(
      `INSERT INTO run_texts (run_texts, rank) VALUES ('merge', ${mergedPages})`,
    );
    this.#changes = database.prepare('SELECT total_changes() AS changes');
    this.#tooOld = database.prepare('SELECT run_id FROM runs WHERE ended_at < ? ORDER BY ended_at LIMIT ?');
    this.#oldest = database.prepare(
      'SELECT run_id, disk_bytes FROM runs WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?',
    );
  }

  untended(most: number): string[] {
    return this.#untended.all(most).map((row) => String(row.run_id));
  }

  tend(sizes: readonly FolderSize[]): void {
    const given = JSON.stringify(sizes);
    // All in one: the index of texts takes a hundred of them in hardly more time than one.
    named(() =>
      transact(this.#database, () => {
        this.#addTexts.run(given);
        this.#measure.run(given);
      }),
    );
  }

  tidyTexts(): boolean {
    const changes = () => Number(this.#changes.get()?.changes);
    const before = changes();
    named(() => this.#mergeTexts.run());
    // The statement itself counts as one.
    return changes() - before > 1;
  }

  expired(limits: RetentionLimits, most: number): string[] {
    if (limits.endedBefore !== null) {
      const tooOld = this.#tooOld.all(limits.endedBefore, most).map((row) => String(row.run_id));
      if (tooOld.length > 0) return tooOld;
    }
    const totals = this.#totals.get();
    let runs = over(totals?.runs, limits.runs);
    let bytes = over(totals?.bytes, limits.bytes);
    if (runs <= 0 && bytes <= 0) return [];
    const expired: string[] = [];
    const oldest = this.#oldest.all(most + 1);
    for (const [at, row] of oldest.entries()) {
      // The last one to end does not go for its size: whoever ran it should find out what became of it.
      const isTooLarge = bytes > 0 && at < oldest.length - 1;
      if (at === most || (runs <= 0 && !isTooLarge)) break;
      expired.push(String(row.run_id));
      runs -= 1;
      bytes -= Number(row.disk_bytes);
    }
    return expired;
  }

  forgetDays(before: string): void {
    named(() => this.#database.prepare('DELETE FROM run_days WHERE day < ?').run(before));
  }
}

function over(total: unknown, limit: number | null): number {
  return limit === null ? 0 : Number(total ?? 0) - limit;
}
