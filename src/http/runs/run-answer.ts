import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as wire from '../../contract/types.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import type { RunService } from '../../runs/run-service.ts';
import { type Encoded, jsonLine } from '../send-json.ts';

/** The run that a path names. From then on the answer, even an error, names it in a header. */
export function findRun(
  runs: RunService,
  { params }: FastifyRequest<{ Params: { id: string } }>,
  { raw }: FastifyReply,
): BriefRun {
  const run = runs.getBrief(params.id);
  raw.setHeader('x-hob-run-id', run.runId);
  return run;
}

/**
 * The JSON form of a run record. If a brief record omits a large envelope, `result` has only its code and the beginning of its
 * message.
 */
export function runAnswer(record: BriefRun): Encoded<wire.BriefRun> {
  const { code, message } = record;
  return {
    run_id: record.runId,
    script_id: record.scriptId,
    script_name: record.scriptName,
    script_version: record.scriptVersion,
    origin: record.origin,
    trigger_id: record.triggerId,
    client: record.client,
    parent_run_id: record.parentRunId,
    depth: record.depth,
    attempt: record.attempt,
    first_run_id: record.firstRunId,
    next_attempt_at: record.nextAttemptAt,
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

/** The data of an event about a run. */
export function runLine(run: BriefRun): string {
  return jsonLine(runAnswer(run));
}
