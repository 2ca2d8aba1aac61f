import type { StatementSyncInstance } from '@photostructure/sqlite';

import { bucketOf } from '../runs/history/durations.ts';
import type { BriefRun, RunEnding } from '../runs/run-record.ts';
import { localDay } from '../shared/local-day.ts';
import type { Database } from './database.ts';
import { countDuration, countOutcome, type DayCount, readDayCount } from './day-counts.ts';

/** Maximum number of scripts whose counts of a day are cached. */
const mostKept = 200;

/** Counts runs by day and script when they end, so that statistics need not read all runs. */
export class RunCounts {
  readonly #name: StatementSyncInstance;
  readonly #find: StatementSyncInstance;
  readonly #put: StatementSyncInstance;
  /** The counts last written, for scripts in use. No other code writes them. */
  readonly #kept = new Map<string, { day: string; name: string; count: DayCount }>();

  constructor(database: Database) {
    this.#name = database.prepare(
      `INSERT INTO script_names VALUES (?, ?)
         ON CONFLICT DO UPDATE SET script_name = excluded.script_name WHERE script_name <> excluded.script_name`,
    );
    this.#find = database.prepare('SELECT outcomes, durations FROM run_days WHERE day = ? AND script_id = ?');
    this.#put = database.prepare('INSERT OR REPLACE INTO run_days VALUES (?, ?, ?, ?)');
  }

  /** Clears the cache after a failed transaction, because its counts are not on record. */
  reread(): void {
    this.#kept.clear();
  }

  add({ scriptId, scriptName }: Pick<BriefRun, 'scriptId' | 'scriptName'>, ending: RunEnding): void {
    const day = localDay(ending.endedAt === null ? new Date() : new Date(ending.endedAt));
    const kept = this.#kept.get(scriptId);
    if (kept?.name !== scriptName) this.#name.run(scriptId, scriptName);
    const count = kept?.day === day ? kept.count : readDayCount(this.#find.get(day, scriptId));
    if (ending.endCause !== null) countOutcome(count, ending.state, ending.endCause);
    // A run that never started has no duration.
    if (ending.startedAt !== null && ending.durationMs !== null)
      countDuration(count, bucketOf(ending.durationMs), ending.durationMs);
    this.#put.run(day, scriptId, JSON.stringify(count.outcomes), JSON.stringify(count.durations));
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.set(scriptId, { day, name: scriptName, count });
  }
}
