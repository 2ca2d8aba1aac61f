import type { BriefRun } from '../runs/run-record.ts';
import { jsonTextOf } from '../shared/json-text.ts';
import type { JsonFields } from './send-json.ts';

export function runAnswer(record: BriefRun): JsonFields {
  return {
    run_id: record.runId,
    script_id: record.scriptId,
    script_name: record.scriptName,
    script_version: record.scriptVersion,
    origin: record.origin,
    parent_run_id: record.parentRunId,
    depth: record.depth,
    state: record.state,
    end_cause: record.endCause,
    exit_code: record.exitCode,
    result: record.result,
    envelope: record.envelope,
    data: record.data,
    params: record.params,
    queued_at: record.queuedAt,
    started_at: record.startedAt,
    ended_at: record.endedAt,
    duration_ms: record.durationMs,
    stdout_bytes: record.stdoutBytes,
    stderr_bytes: record.stderrBytes,
    truncated: record.truncated,
    left_running: record.leftRunning,
  };
}

/** The record of a run for lists and events: of a result that is too large for them, what it says in short. */
export function briefAnswer(run: BriefRun): JsonFields {
  const { result, code, message } = run;
  if (result !== null || code === null) return runAnswer(run);
  return { ...runAnswer(run), result: jsonTextOf({ code, msg: message }) };
}
