import {
  type EndCause,
  type EnvelopeSource,
  endCauses,
  type Origin,
  origins,
  runStates,
} from '../contract/values.ts';
import type { FamilyMember, OutcomeCount } from '../runs/history/history-store.ts';
import type { BriefRun, KeptOutput, RunRecord } from '../runs/run-record.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';

/** The largest size of `data`, `params` and `result` that a list shows, each. */
const largestBriefBytes = 4096;

/** Whether a list shows a text of this size. */
export function isBrief(text: string): boolean {
  return Buffer.byteLength(text) <= largestBriefBytes;
}

export const memberColumns = `run_id, script_id, script_name, origin, parent_run_id, depth, state, end_cause, exit_code,
  queued_at, started_at, ended_at, duration_ms`;

const small = `${memberColumns}, script_version, sync, executor, code, message, envelope, stdout_bytes, stderr_bytes, stdout_head,
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

export function toOutcomeCount(of: string, state: string, endCause: string, runs: number): OutcomeCount {
  return { of, state: oneOf(runStates, state), endCause: oneOf<EndCause>(endCauses, endCause), runs };
}

const textOf = (value: unknown) => (value === null ? null : String(value));
const numberOf = (value: unknown) => (value === null ? null : Number(value));

function keptOf(head: unknown, tail: unknown): KeptOutput | null {
  return head === null ? null : { headBytes: Number(head), tailBytes: Number(tail) };
}

function jsonOf(value: unknown): Json {
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
