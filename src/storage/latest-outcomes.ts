import { setImmediate as otherTurns } from 'node:timers/promises';

import { endCauses, runStates } from '../contract/values.ts';
import type { OutcomeQuery, ScriptOutcomes } from '../runs/history/history-store.ts';
import type { Database } from './database.ts';
import { oneOf, type Row } from './run-rows.ts';

/** Number of runs read at once, which takes a few milliseconds. */
const sliceRuns = 250;

/** Reads the latest runs of each script, in steps that yield to other work. */
export function latestOutcomesOf(
  database: Database,
): (query: OutcomeQuery) => Promise<readonly ScriptOutcomes[]> {
  // Jumps from one script to the next along the index. Reading the script of every run would take time proportional to
  // all runs.
  const scripts = database.prepare(
    `WITH RECURSIVE ids (id) AS (
       SELECT min(script_id) FROM runs
       UNION ALL SELECT (SELECT min(script_id) FROM runs WHERE script_id > id) FROM ids WHERE id IS NOT NULL
     ) SELECT id FROM ids WHERE id IS NOT NULL`,
  );
  const latest = database.prepare(
    `SELECT script_id, script_name, run_id, state, end_cause, queued_at, duration_ms FROM json_each(?) AS wanted CROSS JOIN runs
       WHERE seq IN (SELECT seq FROM runs WHERE script_id = wanted.value ORDER BY queued_at DESC, seq DESC LIMIT ?)
       ORDER BY wanted.key, queued_at DESC, seq DESC`,
  );
  return async ({ scriptIds, runsEach }) => {
    const wanted = scriptIds ?? scripts.all().map((row) => String(row.id));
    const sliceScripts = Math.max(1, Math.floor(sliceRuns / runsEach));
    const found: ScriptOutcomes[] = [];
    for (let at = 0; at < wanted.length; at += sliceScripts) {
      if (at > 0) await otherTurns();
      const slice = JSON.stringify(wanted.slice(at, at + sliceScripts));
      found.push(...byScript(latest.all(slice, runsEach)));
    }
    return found.sort((a, b) => lastTime(b).localeCompare(lastTime(a)));
  };
}

/** The rows of a script are adjacent, newest first, so the first row has the latest name. */
function byScript(rows: readonly Row[]): ScriptOutcomes[] {
  const scripts = new Map<string, { scriptName: string; runs: ScriptOutcomes['runs'][number][] }>();
  for (const row of rows) {
    const scriptId = String(row.script_id);
    let script = scripts.get(scriptId);
    if (script === undefined) {
      script = { scriptName: String(row.script_name), runs: [] };
      scripts.set(scriptId, script);
    }
    script.runs.push({
      runId: String(row.run_id),
      state: oneOf(runStates, row.state),
      endCause: row.end_cause === null ? null : oneOf(endCauses, row.end_cause),
      queuedAt: String(row.queued_at),
      durationMs: row.duration_ms === null ? null : Number(row.duration_ms),
    });
  }
  return [...scripts].map(([scriptId, script]) => ({ scriptId, ...script }));
}

function lastTime({ runs }: ScriptOutcomes): string {
  return runs[0]?.queuedAt ?? '';
}
