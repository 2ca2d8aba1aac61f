import type { StatementSyncInstance } from '@photostructure/sqlite';

import { bucketOf } from '../runs/history/durations.ts';
import type { RunEnding } from '../runs/run-record.ts';
import { localDay } from '../shared/local-day.ts';
import type { Database } from './database.ts';

/** Counts runs as they end, by day and script: nobody has to go through all of them to say how many there were. */
export class RunCounts {
  readonly #name: StatementSyncInstance;
  readonly #count: StatementSyncInstance;
  readonly #time: StatementSyncInstance;

  constructor(database: Database) {
    this.#name = database.prepare(
      `INSERT INTO script_names VALUES (?, ?)
         ON CONFLICT DO UPDATE SET script_name = excluded.script_name WHERE script_name <> excluded.script_name`,
    );
    this.#count = database.prepare(
      'INSERT INTO run_days VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET runs = runs + 1',
    );
    this.#time = database.prepare(
      `INSERT INTO run_durations VALUES (?, ?, ?, 1, ?)
         ON CONFLICT DO UPDATE SET runs = runs + 1, total_ms = total_ms + excluded.total_ms`,
    );
  }

  add(scriptId: string, scriptName: string, ending: RunEnding): void {
    const day = localDay(ending.endedAt === null ? new Date() : new Date(ending.endedAt));
    this.#name.run(scriptId, scriptName);
    this.#count.run(day, scriptId, ending.state, ending.endCause);
    // A run that never began took no time.
    if (ending.startedAt === null || ending.durationMs === null) return;
    this.#time.run(day, scriptId, bucketOf(ending.durationMs), ending.durationMs);
  }
}
