import type { RunEnd } from '../../execution/messages.ts';
import type { JsonText } from '../../shared/json-text.ts';
import type { RunEnding, RunState } from '../run-record.ts';
import { isSuccess } from './is-success.ts';
import type { OutcomeTexts } from './read-outcome.ts';

/** What became of a run, from how its process ended and what it left behind. */
export function concludeRun(
  end: RunEnd,
  { envelope, result }: Pick<OutcomeTexts, 'envelope' | 'result'>,
): RunEnding & { result: JsonText } {
  return {
    state: stateOf(end),
    endCause: end.cause,
    exitCode: end.cause === 'lost' ? null : end.exitCode,
    result,
    envelope,
    startedAt: end.startedAtMs === null ? null : new Date(end.startedAtMs).toISOString(),
    endedAt: new Date(end.endedAtMs).toISOString(),
    durationMs: Math.round(end.durationMs),
    stdoutBytes: end.stdout.bytes,
    stderrBytes: end.stderr.bytes,
    stdoutKept: { headBytes: end.stdout.headBytes, tailBytes: end.stdout.tailBytes },
    stderrKept: { headBytes: end.stderr.headBytes, tailBytes: end.stderr.tailBytes },
    truncated: [end.stdout, end.stderr].some((stream) => stream.headBytes + stream.tailBytes < stream.bytes),
    leftRunning: end.leftRunning,
  };
}

function stateOf(end: RunEnd): RunState {
  if (end.cause === 'lost') return 'unknown';
  return isSuccess(end) ? 'succeeded' : 'failed';
}
