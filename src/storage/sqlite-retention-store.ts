import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { HistoryTotals } from '../runs/history/history-store.ts';
import type { FolderSize, RetentionLimits, RetentionStore } from '../runs/history/retention-store.ts';
import { type Database, named, transact } from './database.ts';
import { totalsOf } from './history-totals.ts';
import type { Row } from './run-rows.ts';

/** What a record takes beside its texts, roughly: its other columns, and its entries in the indexes. */
const recordBytes = 1024;

/** What is merged of the index in one go. More hold up others: of pages that cancel each other out many are read for one written. */
const mergedPages = 8;
/** Of free pages, so many are given back in one go: less than a millisecond's worth. 16 MiB of them are kept. */
const vacuumedPages = 256;
const sparePages = 4096;

/** So much of records goes in one batch: to free the pages of more would hold others up. */
const batchBytes = 4 * 1024 * 1024;
/** Does not read what it measures. */
const textBytes = 'octet_length(data) + octet_length(params) + coalesce(octet_length(result), 0)';

/** Sizes and limits of the history in SQLite. */
export class SqliteRetentionStore implements RetentionStore {
  readonly #database: Database;
  readonly #untended: StatementSyncInstance;
  readonly #addTexts: StatementSyncInstance;
  readonly #measure: StatementSyncInstance;
  readonly #totals: () => HistoryTotals;
  readonly #unfinished: StatementSyncInstance;
  readonly #merge: StatementSyncInstance;
  readonly #freePages: StatementSyncInstance;
  readonly #vacuum: StatementSyncInstance;
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
      `UPDATE runs SET tended = 1, disk_bytes = given.value ->> 'folderBytes' + ${recordBytes} + ${textBytes}
         FROM json_each(?) AS given WHERE run_id = given.value ->> 'runId' AND tended = 0 AND ended_at IS NOT NULL`,
    );
    this.#totals = totalsOf(database);
    this.#unfinished = database.prepare('SELECT count(*) AS runs FROM runs WHERE ended_at IS NULL');
    this.#freePages = database.prepare('PRAGMA freelist_count');
    this.#vacuum = database.prepare(`PRAGMA incremental_vacuum(${vacuumedPages})`);
    this.#merge = database.prepare(
      `INSERT INTO run_texts (run_texts, rank) VALUES ('merge', ${mergedPages})`,
    );
    this.#changes = database.prepare('SELECT total_changes() AS changes');
    this.#tooOld = database.prepare(
      `SELECT run_id, ${textBytes} AS bytes FROM runs WHERE ended_at < ? ORDER BY ended_at LIMIT ?`,
    );
    // Not by the time of their end: a clock that was ahead would make new runs older than those it had left.
    this.#oldest = database.prepare(
      `SELECT run_id, disk_bytes, ${textBytes} AS bytes FROM runs WHERE ended_at IS NOT NULL ORDER BY seq LIMIT ?`,
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

  tidy(): boolean {
    return named(() => {
      const hasMerged = this.#mergeTexts();
      return this.#shrink() || hasMerged;
    });
  }

  #mergeTexts(): boolean {
    const changes = () => Number(this.#changes.get()?.changes);
    const before = changes();
    this.#merge.run();
    // The statement itself counts as one.
    return changes() - before > 1;
  }

  /** Gives back to the disk what is free in the file, but for what will soon be needed again. */
  #shrink(): boolean {
    const freePages = Number(this.#freePages.get()?.freelist_count);
    if (freePages <= sparePages) return false;
    // As a statement that is read to its end: it frees one page for each row that is asked for.
    this.#vacuum.all();
    return Number(this.#freePages.get()?.freelist_count) < freePages;
  }

  expired(limits: RetentionLimits, most: number): string[] {
    if (limits.endedBefore !== null) {
      const tooOld = this.#tooOld.all(limits.endedBefore, most);
      if (tooOld.length > 0) return oneBatch(tooOld);
    }
    const totals = this.#totals();
    let runs = over(totals.runs - Number(this.#unfinished.get()?.runs), limits.runs);
    let bytes = over(totals.bytes, limits.bytes);
    if (runs <= 0 && bytes <= 0) return [];
    const expired: Row[] = [];
    const oldest = this.#oldest.all(most + 1);
    for (const [at, row] of oldest.entries()) {
      // The latest does not go for its size: whoever ran it should find out what became of it.
      const isTooLarge = bytes > 0 && at < oldest.length - 1;
      if (at === most || (runs <= 0 && !isTooLarge)) break;
      expired.push(row);
      runs -= 1;
      bytes -= Number(row.disk_bytes);
    }
    return oneBatch(expired);
  }

  forgetDays(before: string): void {
    named(() => this.#database.prepare('DELETE FROM run_days WHERE day < ?').run(before));
  }
}

function over(total: number, limit: number | null): number {
  return limit === null ? 0 : total - limit;
}

/** As many as may go at once, one at least. */
function oneBatch(rows: readonly Row[]): string[] {
  let bytes = 0;
  const fitting = rows.filter((row, index) => {
    bytes += Number(row.bytes);
    return index === 0 || bytes <= batchBytes;
  });
  return fitting.map((row) => String(row.run_id));
}
