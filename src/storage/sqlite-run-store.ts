import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { Counts } from '../runs/history/history-store.ts';
import type { BriefRun, RunEnding, RunRecord } from '../runs/run-record.ts';
import type { Count, RunStart, RunStore, TokenOwner } from '../runs/run-store.ts';
import { localDay } from '../shared/clock.ts';
import { type Database, durably, named, transact } from './database.ts';
import { briefColumns, columns, isBrief, type Row, toBrief, toOutcomeCount, toRecord } from './run-rows.ts';

type Outcome = [state: string, endCause: string, runs: number];

type Duration = [bucket: number, runs: number, totalMs: number];

/**
 * The counts of one script on one day, stored in one row: separate rows for each bucket of a year would be slow to
 * read.
 */
interface DayCount {
  readonly outcomes: Outcome[];
  readonly durations: Duration[];
}

/** Counts of many days and scripts, added up by day or by script. */
export class CountSums {
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

/** Durations are counted in buckets, four for every doubling, so estimates are at most a fifth off. */
const perDoubling = 4;

/** Maximum number of scripts whose counts of a day are cached. */
const mostKept = 200;

/** Counts runs by day and script when they end, so that statistics need not read all runs. */
class RunCounts {
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

const insertion = `INSERT INTO runs (run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync,
  state, data, params, queued_at, started_at, executor) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Stores runs in SQLite. */
export class SqliteRunStore implements RunStore {
  readonly #database: Database;
  readonly #counts: RunCounts;
  readonly #insert: StatementSyncInstance;
  readonly #markStarted: StatementSyncInstance;
  readonly #finish: StatementSyncInstance;
  readonly #recordLeftRunning: StatementSyncInstance;
  readonly #has: StatementSyncInstance;
  readonly #find: StatementSyncInstance;
  readonly #findBrief: StatementSyncInstance;
  readonly #findByToken: StatementSyncInstance;
  readonly #unfinished: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#counts = new RunCounts(database);
    this.#insert = database.prepare(insertion);
    this.#markStarted = database.prepare(
      `UPDATE runs SET state = 'running', started_at = ?, executor = ? WHERE run_id = ? AND ended_at IS NULL`,
    );
    this.#finish = database.prepare(
      `UPDATE runs SET state = ?, end_cause = ?, exit_code = ?, result = CAST(? AS TEXT), code = ?, message = ?, envelope = ?,
         started_at = CASE WHEN ? IS NULL AND ? <> 'spawn-failed' THEN started_at ELSE ? END, ended_at = ?, duration_ms = ?, stdout_bytes = ?, stderr_bytes = ?,
         stdout_head = ?, stdout_tail = ?, stderr_head = ?, stderr_tail = ?, truncated = ?,
         left_running = COALESCE(?, left_running) WHERE run_id = ? AND ended_at IS NULL RETURNING ${briefColumns}`,
    );
    this.#recordLeftRunning = database.prepare(
      `UPDATE runs SET left_running = count.value ->> 'leftRunning' FROM json_each(?) AS count
         WHERE run_id = count.value ->> 'runId'`,
    );
    this.#has = database.prepare('SELECT 1 FROM runs WHERE run_id = ?');
    this.#find = database.prepare(`SELECT ${columns} FROM runs WHERE run_id = ?`);
    this.#findBrief = database.prepare(`SELECT ${briefColumns} FROM runs WHERE run_id = ?`);
    this.#findByToken = database.prepare('SELECT run_id, depth FROM runs WHERE token_hash = ?');
    this.#unfinished = database.prepare(`SELECT ${columns} FROM runs WHERE ended_at IS NULL ORDER BY seq`);
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  atomically<Result>(work: () => Result, { durable }: { durable: boolean }): Result {
    if (this.#database.isTransaction) return this.#write(durable, work);
    try {
      return this.#write(durable, () => transact(this.#database, work));
    } catch (error) {
      this.#counts.reread();
      throw error;
    }
  }

  insert(
    record: RunRecord,
    tokenHash: string,
    { durable, start = null }: { durable: boolean; start?: RunStart | null },
  ): BriefRun {
    const data = JSON.stringify(record.data);
    const params = JSON.stringify(record.params);
    const values = [
      record.runId,
      tokenHash,
      record.scriptId,
      record.scriptName,
      record.scriptVersion,
      record.origin,
      record.parentRunId,
      record.depth,
      Number(record.sync),
      start === null ? record.state : 'running',
      data,
      params,
      record.queuedAt,
      start?.startedAt ?? null,
      start?.executor ?? null,
    ];
    this.atomically(() => this.#insert.run(...values), { durable });
    if (isBrief(data) && isBrief(params)) return record;
    return {
      ...record,
      data: isBrief(data) ? record.data : null,
      params: isBrief(params) ? record.params : null,
    };
  }

  markStarted(runId: string, { startedAt, executor }: RunStart, { durable }: { durable: boolean }): void {
    this.#write(durable, () => {
      this.#markStarted.run(startedAt, executor, runId);
    });
  }

  finish(runId: string, ending: RunEnding): BriefRun | null {
    return this.atomically(() => this.#recordEnd(runId, ending), { durable: false });
  }

  #recordEnd(runId: string, ending: RunEnding): BriefRun | null {
    const row = this.#finish.get(
      ending.state,
      ending.endCause,
      ending.exitCode,
      ending.result,
      ending.code,
      ending.message,
      ending.envelope,
      ending.startedAt,
      ending.endCause,
      ending.startedAt,
      ending.endedAt,
      ending.durationMs,
      ending.stdoutBytes,
      ending.stderrBytes,
      ending.stdoutKept?.headBytes ?? null,
      ending.stdoutKept?.tailBytes ?? null,
      ending.stderrKept?.headBytes ?? null,
      ending.stderrKept?.tailBytes ?? null,
      ending.truncated === null ? null : Number(ending.truncated),
      ending.leftRunning,
      runId,
    );
    if (row === undefined) return null;
    const run = toBrief(row);
    this.#counts.add(run, ending);
    return run;
  }

  recordLeftRunning(counts: readonly Count[]): void {
    named(() => this.#recordLeftRunning.run(JSON.stringify(counts)));
  }

  has(runId: string): boolean {
    return this.#has.get(runId) !== undefined;
  }

  find(runId: string): RunRecord | null {
    const row = this.#find.get(runId);
    return row === undefined ? null : toRecord(row);
  }

  findBrief(runId: string): BriefRun | null {
    const row = this.#findBrief.get(runId);
    return row === undefined ? null : toBrief(row);
  }

  findByToken(tokenHash: string): TokenOwner | null {
    const row = this.#findByToken.get(tokenHash);
    return row === undefined ? null : { runId: String(row.run_id), depth: Number(row.depth) };
  }

  unfinished(): RunRecord[] {
    return this.#unfinished.all().map(toRecord);
  }

  /** Inside a transaction, the transaction determines the durability. */
  #write<Result>(durable: boolean, write: () => Result): Result {
    const isOwn = durable && !this.#database.isTransaction;
    return named(() => (isOwn ? durably(this.#database, write) : write()));
  }
}

export function readDayCount(row: Row | undefined): DayCount {
  if (row === undefined) return { outcomes: [], durations: [] };
  return { outcomes: JSON.parse(String(row.outcomes)), durations: JSON.parse(String(row.durations)) };
}

function countOutcome({ outcomes }: DayCount, state: string, endCause: string): void {
  const known = outcomes.find((outcome) => outcome[0] === state && outcome[1] === endCause);
  if (known === undefined) outcomes.push([state, endCause, 1]);
  else known[2]++;
}

export function bucketOf(durationMs: number): number {
  return durationMs < 1 ? 0 : 1 + Math.floor(perDoubling * Math.log2(durationMs));
}

function countDuration({ durations }: DayCount, bucket: number, durationMs: number): void {
  const known = durations.find((duration) => duration[0] === bucket);
  if (known === undefined) {
    durations.push([bucket, 1, durationMs]);
  } else {
    known[1]++;
    known[2] += durationMs;
  }
}
