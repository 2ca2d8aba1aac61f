import type { RunState } from '../../contract/values.ts';
import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import type { JsonText } from '../../shared/json-text.ts';
import type { KeptOutput, RunEnding } from '../run-record.ts';
import { isSuccess } from './is-success.ts';
import type { OutcomeTexts } from './read-outcome.ts';

/** Builds the end of a run from the end of its process and the outcome of the script. */
export function concludeRun(
  end: RunEnd,
  { envelope, result, summary }: Pick<OutcomeTexts, 'envelope' | 'result' | 'summary'>,
): RunEnding & { result: JsonText } {
  return {
    state: stateOf(end),
    endCause: end.cause,
    exitCode: end.cause === 'lost' ? null : end.exitCode,
    result,
    code: summary.code,
    message: summary.message,
    envelope,
    startedAt: end.startedAtMs === null ? null : new Date(end.startedAtMs).toISOString(),
    endedAt: new Date(end.endedAtMs).toISOString(),
    // No executor observed the end: the run may have ended at any time between its start and now.
    durationMs: end.cause === 'lost' && end.startedAtMs === null ? null : Math.round(end.durationMs),
    stdoutBytes: end.stdout.bytes,
    stderrBytes: end.stderr.bytes,
    stdoutKept: keptOf(end.stdout),
    stderrKept: keptOf(end.stderr),
    truncated: [end.stdout, end.stderr].some((stream) => stream.headBytes + stream.tailBytes < stream.bytes),
    leftRunning: end.leftRunning,
  };
}

/** Builds the outcome for a caller that waits. */
export function outcomeOf(
  end: RunEnd,
  texts: Pick<OutcomeTexts, 'message' | 'stdout' | 'stderr' | 'result'>,
) {
  const { message, stdout, stderr, result } = texts;
  return {
    exitCode: end.exitCode,
    success: isSuccess(end),
    timedOut: end.cause === 'timeout',
    message,
    stdout,
    stderr,
    result,
  };
}

function keptOf({ headBytes, tailBytes }: StreamCapture): KeptOutput {
  return { headBytes, tailBytes };
}

function stateOf(end: RunEnd): RunState {
  if (end.cause === 'lost') return 'unknown';
  return isSuccess(end) ? 'succeeded' : 'failed';
}
