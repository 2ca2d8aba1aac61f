import { join } from 'node:path';

import { openDatabase } from '../../src/storage/database.ts';
import { SqliteRunStore } from '../../src/storage/sqlite-run-store.ts';
import { queuedRun, runEnding } from './run-records.ts';

interface PastRuns {
  readonly scriptId: string;
  readonly scriptName: string;
  readonly count: number;
  /** Every n-th run failed. */
  readonly failsEvery: number;
}

/** Writes runs of the last days into the database of a home before its service starts. The first is the oldest. */
export function writePastRuns(home: string, { scriptId, scriptName, count, failsEvery }: PastRuns): void {
  const database = openDatabase(join(home, 'hob.db'));
  const store = new SqliteRunStore(database);
  const firstMs = Date.now() - (count + 60) * 60_000;
  store.atomically(
    () => {
      for (let number = 0; number < count; number++) {
        const queuedAt = new Date(firstMs + number * 60_000).toISOString();
        const run = queuedRun({ scriptId, scriptName, queuedAt });
        const message = `past run ${number}`;
        store.insert(run, `token of ${run.runId}`, { durable: false });
        store.finish(
          run.runId,
          runEnding({
            state: number % failsEvery === 0 ? 'failed' : 'succeeded',
            exitCode: number % failsEvery === 0 ? 1 : 0,
            result: Uint8Array.from(Buffer.from(JSON.stringify({ code: 0, msg: message }))),
            message,
            startedAt: queuedAt,
            endedAt: queuedAt,
            durationMs: 1000 + 10 * number,
          }),
        );
      }
    },
    { durable: false },
  );
  database.close();
}
