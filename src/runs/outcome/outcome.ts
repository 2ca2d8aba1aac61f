import { describeEnding } from '../../contract/endings.ts';
import type { EnvelopeSource, RunState } from '../../contract/values.ts';
import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import type { JsonText } from '../../shared/json.ts';
import type { Language, Text } from '../../shared/text.ts';
import type { KeptOutput, RunEnding } from '../run-record.ts';

/** Codes of the envelopes that Hob writes if the script wrote none. */
const synthesizedCodes = { failed: -1, timedOut: -2, noEnvelope: -3 } as const;

export interface Circumstances {
  readonly end: RunEnd;
  readonly timeoutMs: number | null;
  /** Why the script could not be started, if a better description than an errno is known. */
  readonly unavailable: Text | null;
  readonly language: Language;
}

const noResult: Text = {
  en: 'wrote no result (a JSON object with code and msg) to environment.output_json',
  zh: '没有将结果（含 code 和 msg 的 JSON 对象）写入 environment.output_json',
};

export type EnvelopeReading =
  /** `msg` is the literal in the text. */
  | { kind: 'valid'; text: JsonText; code: number; msg: JsonText }
  | { kind: 'absent' }
  | { kind: 'invalid'; why: Text };

/** The outcome of a script as an answer contains it: plain data that can be sent to a thread. */
export interface OutcomeTexts {
  readonly envelope: EnvelopeSource;
  readonly result: JsonText;
  /** The literal of the envelope's `msg`. */
  readonly message: JsonText;
  /** The part of the envelope that lists show: its code and the beginning of `msg`. */
  readonly summary: { readonly code: number; readonly message: string };
  /** Literals, empty if the output is not requested. */
  readonly stdout: JsonText;
  readonly stderr: JsonText;
}

/** Builds the envelope for a script that wrote none: a description of the end and the last error lines. */
export function synthesizeEnvelope(
  circumstances: Circumstances,
  reading: EnvelopeReading,
  lastErrorLines: string,
): { code: number; msg: string } {
  const { end, language } = circumstances;
  const what = describe(circumstances, reading)[language];
  const msg = lastErrorLines === '' ? what : `${what}\n${lastErrorLines}`;
  return { code: codeOf(end), msg };
}

function codeOf(end: RunEnd): number {
  if (end.cause === 'timeout') return synthesizedCodes.timedOut;
  return isSuccess(end) ? synthesizedCodes.noEnvelope : synthesizedCodes.failed;
}

function describe(circumstances: Circumstances, reading: EnvelopeReading): Text {
  const { end, timeoutMs, unavailable } = circumstances;
  const ending = describeEnding({ ...end, timeoutMs, isWindowClosed: end.window === 'gone' });
  const what = end.cause === 'spawn-failed' && unavailable !== null ? unavailable : ending;
  if (isSuccess(end)) {
    const { en, zh } = reading.kind === 'invalid' ? describeInvalid(reading.why) : noResult;
    return { en: `${what.en}, but ${en}`, zh: `${what.zh}，但${zh}` };
  }
  if (reading.kind !== 'invalid') return what;
  // A defect of the result may be the cause of the failure, or all that remains of hours of work.
  const { en, zh } = describeInvalid(reading.why);
  return { en: `${what.en}, and ${en}`, zh: `${what.zh}，且${zh}` };
}

function describeInvalid(why: Text): Text {
  return { en: `its result is not valid: ${why.en}`, zh: `结果无效：${why.zh}` };
}

/** Exit code 0, and neither timed out nor stopped by Hob. */
export function isSuccess(end: Pick<RunEnd, 'cause' | 'exitCode'>): boolean {
  return end.cause === 'exit' && end.exitCode === 0;
}

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
