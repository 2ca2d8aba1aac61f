import type { StatementSyncInstance } from '@photostructure/sqlite';

import {
  type EndCause,
  type EnvelopeSource,
  endCauses,
  type Origin,
  origins,
  runStates,
} from '../contract/values.ts';
import type { FamilyMember } from '../runs/history/history-store.ts';
import type { BriefRun, KeptOutput, RetryPlan, RunEnding, RunRecord } from '../runs/run-record.ts';
import type { Count, RunStart, RunStore, TokenOwner } from '../runs/run-store.ts';
import { localDay } from '../shared/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { type Database, durably, named, transact } from './database.ts';

export type Outcome = [state: string, endCause: string, runs: number];

export type Duration = [bucket: number, runs: number, totalMs: number];

/**
 * The counts of one script on one day, stored in one row: separate rows for each bucket of a year would be slow to
 * read.
 */
export interface DayCount {
  readonly outcomes: Outcome[];
  readonly durations: Duration[];
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

/** Whether a run has not ended, or will be tried again. */
export const isOpen = '(ended_at IS NULL OR next_attempt_at IS NOT NULL)';

const insertion = `INSERT INTO runs (run_id, token_hash, script_id, script_name, script_version, origin, trigger_id, client, parent_run_id, depth,
  sync, attempt, first_run_id, retries, state, data, params, queued_at, started_at, executor)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

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
  readonly #setNextAttempt: StatementSyncInstance;
  readonly #lastAttempt: StatementSyncInstance;
  readonly #attempts: StatementSyncInstance;
  readonly #awaiting: StatementSyncInstance;
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
         left_running = COALESCE(?, left_running), next_attempt_at = ? WHERE run_id = ? AND ended_at IS NULL RETURNING ${briefColumns}`,
    );
    this.#recordLeftRunning = database.prepare(
      `UPDATE runs SET left_running = count.value ->> 'leftRunning' FROM json_each(?) AS count
         WHERE run_id = count.value ->> 'runId'`,
    );
    this.#has = database.prepare('SELECT 1 FROM runs WHERE run_id = ?');
    this.#find = database.prepare(`SELECT ${columns} FROM runs WHERE run_id = ?`);
    this.#findBrief = database.prepare(`SELECT ${briefColumns} FROM runs WHERE run_id = ?`);
    this.#findByToken = database.prepare('SELECT run_id, depth FROM runs WHERE token_hash = ?');
    this.#setNextAttempt = database.prepare(
      'UPDATE runs SET next_attempt_at = ? WHERE run_id = ? AND next_attempt_at IS NOT NULL',
    );
    const attempts = `SELECT ${briefColumns} FROM runs WHERE first_run_id = ? ORDER BY attempt`;
    this.#lastAttempt = database.prepare(`${attempts} DESC LIMIT 1`);
    this.#attempts = database.prepare(attempts);
    this.#awaiting = database.prepare(
      `SELECT ${briefColumns} FROM runs WHERE next_attempt_at IS NOT NULL ORDER BY next_attempt_at`,
    );
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
      record.triggerId,
      record.client,
      record.parentRunId,
      record.depth,
      Number(record.sync),
      record.attempt,
      record.firstRunId,
      record.retries === null ? null : JSON.stringify(record.retries),
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
      ending.nextAttemptAt,
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

  setNextAttempt(runId: string, at: string | null): boolean {
    return named(() => Number(this.#setNextAttempt.run(at, runId).changes) > 0);
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

  lastAttempt(firstRunId: string): BriefRun | null {
    const row = this.#lastAttempt.get(firstRunId);
    return row === undefined ? this.findBrief(firstRunId) : toBrief(row);
  }

  attempts(firstRunId: string): BriefRun[] {
    const first = this.findBrief(firstRunId);
    return [...(first === null ? [] : [first]), ...this.#attempts.all(firstRunId).map(toBrief)];
  }

  awaiting(): BriefRun[] {
    return this.#awaiting.all().map(toBrief);
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

/** The largest size of `data`, `params` and `result` that a list shows, each. */
const largestBriefBytes = 4096;

/** Whether a list shows a text of this size. */
function isBrief(text: string): boolean {
  return Buffer.byteLength(text) <= largestBriefBytes;
}

export const memberColumns = `run_id, script_id, script_name, origin, parent_run_id, depth, state, end_cause, exit_code,
  queued_at, started_at, ended_at, duration_ms`;

const small = `${memberColumns}, script_version, sync, trigger_id, client, attempt, first_run_id, next_attempt_at, retries, executor, code, message, envelope, stdout_bytes, stderr_bytes, stdout_head,
  stdout_tail, stderr_head, stderr_tail, truncated, left_running`;

/**
 * Results are read and written as bytes, although the database stores them as text. Converting a large result to a
 * string and back would block the service for longer than writing it.
 */
export const columns = `${small}, data, params, CAST(result AS BLOB) AS result`;

/** The columns of a record in a list, without values over the limit. `octet_length` does not read the value. */
export const briefColumns = `${small}, ${brief('data', 'data')}, ${brief('params', 'params')},
  ${brief('result', 'CAST(result AS BLOB)')}`;

function brief(column: string, value: string): string {
  return `CASE WHEN octet_length(${column}) <= ${largestBriefBytes} THEN ${value} END AS ${column}`;
}

export type Row = Record<string, unknown>;

export function toRecord(row: Row): RunRecord {
  return { ...toBrief(row), params: objectOf(row.params) };
}

/** Copies field by field: a spread into an object of this size costs ten times as much as the rest of the function. */
export function toBrief(row: Row): BriefRun {
  const member = toMember(row);
  return {
    runId: member.runId,
    scriptId: member.scriptId,
    scriptName: member.scriptName,
    origin: member.origin,
    parentRunId: member.parentRunId,
    depth: member.depth,
    state: member.state,
    endCause: member.endCause,
    exitCode: member.exitCode,
    queuedAt: member.queuedAt,
    startedAt: member.startedAt,
    endedAt: member.endedAt,
    durationMs: member.durationMs,
    scriptVersion: textOf(row.script_version),
    sync: row.sync === 1,
    triggerId: textOf(row.trigger_id),
    client: textOf(row.client),
    attempt: Number(row.attempt),
    firstRunId: textOf(row.first_run_id),
    nextAttemptAt: textOf(row.next_attempt_at),
    retries: row.retries === null ? null : planOf(row.retries),
    executor: textOf(row.executor),
    result: row.result instanceof Uint8Array ? row.result : null,
    code: numberOf(row.code),
    message: textOf(row.message),
    envelope: row.envelope === null ? null : oneOf<EnvelopeSource>(['own', 'synthesized'], row.envelope),
    data: row.data === null ? null : jsonOf(row.data),
    params: row.params === null ? null : objectOf(row.params),
    stdoutBytes: numberOf(row.stdout_bytes),
    stderrBytes: numberOf(row.stderr_bytes),
    stdoutKept: keptOf(row.stdout_head, row.stdout_tail),
    stderrKept: keptOf(row.stderr_head, row.stderr_tail),
    truncated: row.truncated === null ? null : row.truncated === 1,
    leftRunning: numberOf(row.left_running),
  };
}

/** The position of a run among the runs that started each other. */
export function toMember(row: Row): FamilyMember {
  return {
    runId: String(row.run_id),
    scriptId: String(row.script_id),
    scriptName: String(row.script_name),
    origin: oneOf<Origin>(origins, row.origin),
    parentRunId: textOf(row.parent_run_id),
    depth: Number(row.depth),
    state: oneOf(runStates, row.state),
    endCause: row.end_cause === null ? null : oneOf<EndCause>(endCauses, row.end_cause),
    exitCode: numberOf(row.exit_code),
    queuedAt: String(row.queued_at),
    startedAt: textOf(row.started_at),
    endedAt: textOf(row.ended_at),
    durationMs: numberOf(row.duration_ms),
  };
}

const textOf = (value: unknown) => (value === null ? null : String(value));

const numberOf = (value: unknown) => (value === null ? null : Number(value));

function keptOf(head: unknown, tail: unknown): KeptOutput | null {
  return head === null ? null : { headBytes: Number(head), tailBytes: Number(tail) };
}

function jsonOf(value: unknown): Json {
  return JSON.parse(String(value));
}

function planOf(value: unknown): RetryPlan {
  return JSON.parse(String(value));
}

function objectOf(value: unknown): JsonObject {
  const parsed = jsonOf(value);
  return isJsonObject(parsed) ? parsed : {};
}

export function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word {
  const found = words.find((word) => word === value);
  if (found === undefined)
    throw new Error(
      `The database holds ${JSON.stringify(value)} where it should be one of ${words.join(', ')}`,
    );
  return found;
}
