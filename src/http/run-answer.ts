import type { BriefRun } from '../runs/run-record.ts';
import type { JsonFields } from './send-json.ts';

/**
 * The JSON form of a run record. If a brief record omits a large envelope, `result` has only its code and the beginning of its
 * message.
 */
export function runAnswer(record: BriefRun): JsonFields {
  const { code, message } = record;
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
    result: record.result ?? (code === null ? null : { code, msg: message ?? '' }),
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
