import type { StatementSyncInstance } from '@photostructure/sqlite';

import {
  type EndCause,
  type EnvelopeSource,
  endCauses,
  type KeptOutput,
  type Origin,
  origins,
  type RunEnding,
  type RunRecord,
  runStates,
} from '../runs/run-record.ts';
import type { Count, RunStart, RunStore, TokenOwner } from '../runs/run-store.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { type Database, durably, named } from './database.ts';

/**
 * Results go in and out as bytes, though the database holds them as text: making a string of a large one, and bytes of that
 * again, would hold up everybody for longer than writing it does.
 */
const columns = `run_id, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor, state, end_cause, exit_code,
  CAST(result AS BLOB) AS result, envelope, data, params, queued_at, started_at, ended_at, duration_ms, stdout_bytes,
  stderr_bytes, stdout_head, stdout_tail, stderr_head, stderr_tail, truncated, left_running`;

/** Runs in SQLite. */
export class SqliteRunStore implements RunStore {
  readonly #database: Database;
  readonly #insert: StatementSyncInstance;
  readonly #markStarted: StatementSyncInstance;
  readonly #finish: StatementSyncInstance;
  readonly #recordLeftRunning: StatementSyncInstance;
  readonly #has: StatementSyncInstance;
  readonly #find: StatementSyncInstance;
  readonly #findByToken: StatementSyncInstance;
  readonly #unfinished: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT INTO runs (run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync,
         state, data, params, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#markStarted = database.prepare(
      `UPDATE runs SET state = 'running', started_at = ?, executor = ? WHERE run_id = ? AND ended_at IS NULL`,
    );
    this.#finish = database.prepare(
      `UPDATE runs SET state = ?, end_cause = ?, exit_code = ?, result = CAST(? AS TEXT), envelope = ?,
         started_at = CASE WHEN ? IS NULL AND ? <> 'spawn-failed' THEN started_at ELSE ? END, ended_at = ?, duration_ms = ?, stdout_bytes = ?, stderr_bytes = ?,
         stdout_head = ?, stdout_tail = ?, stderr_head = ?, stderr_tail = ?, truncated = ?, left_running = COALESCE(?, left_running) WHERE run_id = ? AND ended_at IS NULL`,
    );
    this.#recordLeftRunning = database.prepare(
      `UPDATE runs SET left_running = count.value ->> 'leftRunning' FROM json_each(?) AS count
         WHERE run_id = count.value ->> 'runId'`,
    );
    this.#has = database.prepare('SELECT 1 FROM runs WHERE run_id = ?');
    this.#find = database.prepare(`SELECT ${columns} FROM runs WHERE run_id = ?`);
    this.#findByToken = database.prepare('SELECT run_id, depth FROM runs WHERE token_hash = ?');
    this.#unfinished = database.prepare(`SELECT ${columns} FROM runs WHERE ended_at IS NULL ORDER BY rowid`);
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  insert(record: RunRecord, tokenHash: string, { durable }: { durable: boolean }): void {
    this.#write(durable, () => {
      this.#insert.run(
        record.runId,
        tokenHash,
        record.scriptId,
        record.scriptName,
        record.scriptVersion,
        record.origin,
        record.parentRunId,
        record.depth,
        Number(record.sync),
        record.state,
        JSON.stringify(record.data),
        JSON.stringify(record.params),
        record.queuedAt,
      );
    });
  }

  markStarted(runId: string, { startedAt, executor }: RunStart, { durable }: { durable: boolean }): void {
    this.#write(durable, () => {
      this.#markStarted.run(startedAt, executor, runId);
    });
  }

  finish(runId: string, ending: RunEnding): boolean {
    const { changes } = named(() =>
      this.#finish.run(
        ending.state,
        ending.endCause,
        ending.exitCode,
        ending.result,
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
      ),
    );
    return Number(changes) > 0;
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

  findByToken(tokenHash: string): TokenOwner | null {
    const row = this.#findByToken.get(tokenHash);
    return row === undefined ? null : { runId: String(row.run_id), depth: Number(row.depth) };
  }

  unfinished(): RunRecord[] {
    return this.#unfinished.all().map(toRecord);
  }

  #write(durable: boolean, write: () => void): void {
    named(() => (durable ? durably(this.#database, write) : write()));
  }
}

type Row = Record<string, unknown>;

function toRecord(row: Row): RunRecord {
  return {
    runId: String(row.run_id),
    scriptId: String(row.script_id),
    scriptName: String(row.script_name),
    scriptVersion: textOf(row.script_version),
    origin: oneOf<Origin>(origins, row.origin),
    parentRunId: textOf(row.parent_run_id),
    depth: Number(row.depth),
    sync: row.sync === 1,
    executor: textOf(row.executor),
    state: oneOf(runStates, row.state),
    endCause: row.end_cause === null ? null : oneOf<EndCause>(endCauses, row.end_cause),
    exitCode: numberOf(row.exit_code),
    result: row.result instanceof Uint8Array ? row.result : null,
    envelope: row.envelope === null ? null : oneOf<EnvelopeSource>(['own', 'synthesized'], row.envelope),
    data: jsonOf(row.data),
    params: objectOf(row.params),
    queuedAt: String(row.queued_at),
    startedAt: textOf(row.started_at),
    endedAt: textOf(row.ended_at),
    durationMs: numberOf(row.duration_ms),
    stdoutBytes: numberOf(row.stdout_bytes),
    stderrBytes: numberOf(row.stderr_bytes),
    stdoutKept: keptOf(row.stdout_head, row.stdout_tail),
    stderrKept: keptOf(row.stderr_head, row.stderr_tail),
    truncated: row.truncated === null ? null : row.truncated === 1,
    leftRunning: numberOf(row.left_running),
  };
}

const textOf = (value: unknown) => (value === null ? null : String(value));
const numberOf = (value: unknown) => (value === null ? null : Number(value));

function keptOf(head: unknown, tail: unknown): KeptOutput | null {
  return head === null || tail === null ? null : { headBytes: Number(head), tailBytes: Number(tail) };
}

function jsonOf(value: unknown): Json {
  return JSON.parse(String(value));
}

function objectOf(value: unknown): JsonObject {
  const parsed = jsonOf(value);
  return isJsonObject(parsed) ? parsed : {};
}

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word {
  const found = words.find((word) => word === value);
  if (found === undefined)
    throw new Error(
      `The database holds ${JSON.stringify(value)} where it should be one of ${words.join(', ')}`,
    );
  return found;
}
