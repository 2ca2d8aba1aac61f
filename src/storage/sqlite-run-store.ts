import type { StatementSyncInstance } from '@photostructure/sqlite';

import type { BriefRun, RunEnding, RunRecord } from '../runs/run-record.ts';
import type { Count, RunStart, RunStore, TokenOwner } from '../runs/run-store.ts';
import { type Database, durably, named, transact } from './database.ts';
import { RunCounts } from './run-counts.ts';
import { briefColumns, columns, isBrief, toBrief, toRecord } from './run-rows.ts';

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
