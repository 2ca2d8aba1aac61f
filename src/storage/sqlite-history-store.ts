import { setImmediate as otherTurns } from 'node:timers/promises';

import type { StatementSyncInstance } from '@photostructure/sqlite';

import { type EndCause, endCauses, runStates } from '../contract/values.ts';
import type {
  CountedSpan,
  Counts,
  DayCounts,
  Family,
  FamilyBounds,
  HistoryStore,
  HistoryTotals,
  OutcomeCount,
  OutcomeQuery,
  RunPage,
  RunQuery,
  ScriptOutcomes,
} from '../runs/history/history-store.ts';
import type { Database } from './database.ts';
import { type Candidate, Candidates } from './run-candidates.ts';
import { totalsOf } from './sqlite-retention-store.ts';
import {
  briefColumns,
  type DayCount,
  type Duration,
  memberColumns,
  type Outcome,
  oneOf,
  type Row,
  readDayCount,
  toBrief,
  toMember,
} from './sqlite-run-store.ts';

/** Number of runs read at once, which takes a few milliseconds. */
const sliceRuns = 250;

/** Number of rows added up at once, which takes a few milliseconds. */
const sliceDays = 500;

/** Reads the history of runs from SQLite. */
export class SqliteHistoryStore implements HistoryStore {
  readonly totals: () => HistoryTotals;
  readonly outcomes: (query: OutcomeQuery) => Promise<readonly ScriptOutcomes[]>;
  readonly #candidates: Candidates;
  readonly #briefs: StatementSyncInstance;
  readonly #line: StatementSyncInstance;
  readonly #descendants: StatementSyncInstance;
  readonly #days: StatementSyncInstance;
  readonly #names: StatementSyncInstance;

  constructor(database: Database) {
    this.#candidates = new Candidates(database);
    this.#briefs = database.prepare(
      `SELECT seq, ${briefColumns} FROM runs WHERE seq IN (SELECT value FROM json_each(?))`,
    );
    this.#line = database.prepare(
      `WITH RECURSIVE line (run_seq, parent, height) AS (
         SELECT seq, parent_run_id, 0 FROM runs WHERE run_id = ?
         UNION ALL SELECT seq, parent_run_id, height + 1 FROM line JOIN runs ON run_id = parent WHERE height <= ?
       ) SELECT height, ${memberColumns} FROM line JOIN runs ON seq = run_seq ORDER BY height`,
    );
    // In order of generations.
    this.#descendants = database.prepare(
      `WITH RECURSIVE family (seq, id, generation) AS (
         SELECT seq, run_id, 0 FROM runs WHERE run_id = ?
         UNION ALL SELECT runs.seq, runs.run_id, generation + 1 FROM family JOIN runs ON runs.parent_run_id = family.id
           WHERE generation <= ?
         LIMIT ?
       ) SELECT generation, ${memberColumns} FROM family CROSS JOIN runs USING (seq)`,
    );
    this.#days = database.prepare(
      `SELECT day, script_id, outcomes, durations FROM run_days
         WHERE (day, script_id) > (?, ?) AND day <= ? AND (? IS NULL OR script_id = ?) ORDER BY day, script_id LIMIT ?`,
    );
    this.#names = database.prepare('SELECT script_id, script_name FROM script_names');
    this.totals = totalsOf(database);
    this.outcomes = latestOutcomesOf(database);
  }

  async page(query: RunQuery, signal: AbortSignal): Promise<RunPage> {
    const found: Candidate[] = [];
    // One more run than requested shows whether there is a next page.
    for (const slice of this.#candidates.slices(query)) {
      // The client has disconnected.
      if (signal.aborted) break;
      found.push(...slice.slice(0, query.limit + 1 - found.length));
      if (found.length > query.limit) break;
      await otherTurns();
    }
    const shown = found.slice(0, query.limit);
    const last = shown.at(-1);
    const rows = this.#briefs.all(JSON.stringify(shown.map(({ seq }) => seq)));
    const bySeq = new Map(rows.map((row) => [Number(row.seq), row]));
    return {
      // Omits runs that were removed meanwhile.
      runs: shown.flatMap(({ seq }) => {
        const row = bySeq.get(seq);
        return row === undefined ? [] : [toBrief(row)];
      }),
      next:
        found.length > query.limit && last !== undefined ? { queuedAt: last.queuedAt, seq: last.seq } : null,
    };
  }

  family(runId: string, { members: most, generations }: FamilyBounds): Family {
    // Each query reads one more than requested, to detect whether there is more.
    const line = this.#line.all(runId, generations);
    const ancestry = line.slice(0, generations + 1);
    const root = ancestry.at(-1);
    if (root === undefined) return { members: [], isComplete: true };
    const rows = this.#descendants.all(String(root.run_id), generations, most + 1);
    const shown = rows.slice(0, most).filter((row) => Number(row.generation) <= generations);
    const known = new Set(shown.map((row) => row.run_id));
    const cutOff = ancestry.reverse().filter((row) => !known.has(row.run_id));
    return {
      members: [...shown, ...cutOff].map(toMember),
      isComplete: line.length === ancestry.length && rows.length === shown.length,
    };
  }

  async counts({ from, to, scriptId }: CountedSpan): Promise<DayCounts> {
    const [scripts, days] = [new CountSums(), new CountSums()];
    // The last row read. The empty script id is before all others.
    let last = { day: from, scriptId: '' };
    for (;;) {
      const rows = this.#days.all(last.day, last.scriptId, to, scriptId, scriptId, sliceDays);
      for (const row of rows) {
        const count = readDayCount(row);
        last = { day: String(row.day), scriptId: String(row.script_id) };
        scripts.add(last.scriptId, count);
        days.add(last.day, count);
      }
      if (rows.length < sliceDays) break;
      await otherTurns();
    }
    const names = this.#names.all();
    return {
      scripts: scripts.counts,
      days: days.counts,
      names: new Map(names.map((row) => [String(row.script_id), String(row.script_name)])),
    };
  }
}

/** Reads the latest runs of each script, in steps that yield to other work. */
function latestOutcomesOf(database: Database): (query: OutcomeQuery) => Promise<readonly ScriptOutcomes[]> {
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

/** Counts of many days and scripts, added up by day or by script. */
class CountSums {
  readonly #sums = new Map<string, { outcomes: Map<string, Outcome>; durations: Map<number, Duration> }>();

  add(of: string, { outcomes, durations }: DayCount): void {
    let sum = this.#sums.get(of);
    if (sum === undefined) {
      sum = { outcomes: new Map(), durations: new Map() };
      this.#sums.set(of, sum);
    }
    for (const [state, endCause, runs] of outcomes) {
      const key = `${state} ${endCause}`;
      const known = sum.outcomes.get(key);
      if (known === undefined) sum.outcomes.set(key, [state, endCause, runs]);
      else known[2] += runs;
    }
    for (const [bucket, runs, totalMs] of durations) {
      const known = sum.durations.get(bucket);
      if (known === undefined) {
        sum.durations.set(bucket, [bucket, runs, totalMs]);
      } else {
        known[1] += runs;
        known[2] += totalMs;
      }
    }
  }

  get counts(): Counts {
    const all = [...this.#sums];
    return {
      outcomes: all.flatMap(([of, { outcomes }]) =>
        [...outcomes.values()].map(([state, endCause, runs]) => toOutcomeCount(of, state, endCause, runs)),
      ),
      durations: all.flatMap(([of, { durations }]) =>
        [...durations.values()].map(([bucket, runs, totalMs]) => ({ of, bucket, runs, totalMs })),
      ),
    };
  }
}

function toOutcomeCount(of: string, state: string, endCause: string, runs: number): OutcomeCount {
  return { of, state: oneOf(runStates, state), endCause: oneOf<EndCause>(endCauses, endCause), runs };
}
