import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { HistoryTotals } from '../runs/history/history-store.ts';
import type {
  FolderSize,
  RetentionLimits,
  RetentionStore,
  RunRemoval,
} from '../runs/history/retention-store.ts';
import { Feed } from '../shared/feed.ts';
import { type Database, named, transact } from './database.ts';
import { isOpen, type Row } from './sqlite-run-store.ts';

/** Estimated size of a record besides its texts: the other columns and the index entries. */
const recordBytes = 1024;

/**
 * Number of index pages merged at once. More would block other work: where entries cancel each other out, many pages
 * are read for one page written.
 */
const mergedPages = 8;
/**
 * Number of free pages returned to the disk at once, which takes less than a millisecond. 16 MiB of free pages are
 * kept.
 */
const vacuumedPages = 256;
const sparePages = 4096;

/** Maximum size of the records removed in one batch: freeing the pages of more would block other work. */
const batchBytes = 4 * 1024 * 1024;
/** Whether a run and all attempts of its series have ended. A key leads to the first attempt, and a later one continues from the last. */
const isOver = `ended_at IS NOT NULL AND next_attempt_at IS NULL AND NOT EXISTS (SELECT 1 FROM runs AS attempt
  WHERE attempt.first_run_id = coalesce(runs.first_run_id, runs.run_id) AND ${isOpen})`;
/** `octet_length` does not read the value. */
const textBytes = 'octet_length(data) + octet_length(params) + coalesce(octet_length(result), 0)';

/** Stores the sizes of runs in SQLite, and finds the runs over the limits of the history. */
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
      `SELECT run_id, ${textBytes} AS bytes FROM runs WHERE ended_at < ? AND ${isOver}
         ORDER BY ended_at LIMIT ?`,
    );
    // Not ordered by the time of the end: after a clock was ahead, new runs would look older than the runs of that
    // time.
    this.#oldest = database.prepare(
      `SELECT run_id, disk_bytes, ${textBytes} AS bytes FROM runs
         WHERE ${isOver} ORDER BY seq LIMIT ?`,
    );
  }

  untended(most: number): string[] {
    return this.#untended.all(most).map((row) => String(row.run_id));
  }

  tend(sizes: readonly FolderSize[]): void {
    const given = JSON.stringify(sizes);
    // One transaction: adding a hundred texts to the index takes hardly longer than adding one.
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
    // The statement itself counts as one change.
    return changes() - before > 1;
  }

  /** Returns free pages of the file to the disk, except those that will soon be needed again. */
  #shrink(): boolean {
    const freePages = Number(this.#freePages.get()?.freelist_count);
    if (freePages <= sparePages) return false;
    // Reads the statement to its end: it frees one page for each row read.
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
      // The latest run is not removed because of its size, so that its user can still see its outcome.
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

/** As many runs as may be removed at once, at least one. */
function oneBatch(rows: readonly Row[]): string[] {
  let bytes = 0;
  const fitting = rows.filter((row, index) => {
    bytes += Number(row.bytes);
    return index === 0 || bytes <= batchBytes;
  });
  return fitting.map((row) => String(row.run_id));
}

/** Reads the number of runs on record and their disk space. Triggers keep both up to date, so no rows are counted here. */
export function totalsOf(database: Database): () => HistoryTotals {
  const totals = database.prepare('SELECT runs, bytes FROM history');
  return () => {
    const row = totals.get();
    return { runs: Number(row?.runs ?? 0), bytes: Number(row?.bytes ?? 0) };
  };
}

interface ForgottenRuns {
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
