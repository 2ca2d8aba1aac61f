import { describeEnding } from '../contract/endings.ts';
import { saysNoResult } from '../runs/outcome/read-outcome.ts';
import type { StreamName } from '../runs/output/run-outputs.ts';
import type { BriefRun, RunRecord } from '../runs/run-record.ts';
import { isOpen } from '../runs/run-record.ts';
import { cutMessage } from '../shared/cut-message.ts';
import { isJsonObject, type JsonObject, textOf, tryParseJson } from '../shared/json.ts';
import type { ToolAnswer } from './agent.ts';
import type { OutputText } from './run-output.ts';

/** An agent pays for every letter that it reads. */
export const shownOutputBytes = 2000;

const largestEnvelopeBytes = 64 * 1024;

const longestLineMessage = 200;

/**
 * An ordinary program writes no result. Its success would look like a failure with the code and the message that Hob writes for the callers
 * of the HTTP interface.
 */
const withoutResult = { msg: 'The script succeeded and wrote no result.' } as const;

function isWithoutResult({ state, envelope, message }: BriefRun): boolean {
  return state === 'succeeded' && envelope === 'synthesized' && saysNoResult(message ?? '');
}

export function runUri(runId: string, part?: 'stdout' | 'stderr' | 'result'): string {
  return `hob://runs/${runId}${part === undefined ? '' : `/${part}`}`;
}

/** Whether the answer about an ended run contains this stream. */
export function isShown(
  { state, envelope }: Pick<RunRecord, 'state' | 'envelope'>,
  stream: StreamName,
): boolean {
  if (state !== 'succeeded') return true;
  // The message of a script that reports its success is enough.
  return stream === 'stdout' && envelope !== 'own';
}

/** The ends of the streams that the answer contains. */
export interface ShownOutput {
  readonly stdout: OutputText;
  readonly stderr: OutputText;
}

/** The answer to a call whose run has ended. */
export function endedAnswer(run: RunRecord, output: ShownOutput): ToolAnswer {
  const { runId, result, state, exitCode, endCause, durationMs, envelope, attempt } = run;
  const whole = shortResult(run);
  const isSuccess = state === 'succeeded';
  const end = endCause === null ? 'The run has ended' : describeEnding({ cause: endCause, exitCode }).en;
  const seconds = durationMs === null ? '' : ` after ${(durationMs / 1000).toFixed(1)} s`;
  const tries = attempt === 1 ? '' : `, tried ${attempt} times`;
  const text = [
    `${isSuccess ? 'Succeeded' : `Failed: ${end}`}${seconds}${tries}. Run ${runId}.`,
    isWithoutResult(run) ? '' : (run.message ?? ''),
    ...(whole === null && result !== null
      ? [`The result has ${result.length} bytes. Read it from ${runUri(runId, 'result')}.`]
      : []),
    ...(isShown(run, 'stdout') ? [outputText('stdout', output.stdout)] : []),
    ...(isShown(run, 'stderr') ? [outputText('stderr', output.stderr)] : []),
  ];
  // A client may show its model nothing but the structured content.
  const shown = {
    ...((isWithoutResult(run) ? withoutResult : parseEnvelope(whole)) ?? {
      code: run.code ?? 0,
      msg: run.message ?? '',
    }),
    ...(envelope === 'synthesized' && { stdout: output.stdout.text }),
    ...(envelope === 'synthesized' && !isSuccess && { stderr: output.stderr.text }),
  };
  return {
    content: [
      { type: 'text', text: joined(text) },
      // Some agents read only texts. The text of the script keeps all digits of its numbers.
      ...(envelope === 'own' && whole !== null ? [{ type: 'text', text: whole } as const] : []),
      {
        type: 'resource_link',
        uri: runUri(runId, 'stdout'),
        name: `stdout of run ${runId}`,
        description: 'Everything that the script printed.',
        mimeType: 'text/plain',
      },
    ],
    structuredContent: shown,
    ...(!isSuccess && { isError: true }),
  };
}

/** The answer to a call whose run continues. */
export function runningAnswer(run: BriefRun, progress: string | null): ToolAnswer {
  const { runId } = run;
  const msg = joined([
    `The run ${runId} ${openState(run)}, and continues without you. Call hob_wait with run_id "${runId}" to wait for its result, or hob_cancel to stop it. Do not start it again.`,
    progress === null ? '' : `Its last progress: ${progress}`,
  ]);
  return { content: [{ type: 'text', text: msg }], structuredContent: { msg, run_id: runId } };
}

/** The result of a run as JSON. */
export function resultText(run: RunRecord): string {
  if (isWithoutResult(run)) return JSON.stringify(withoutResult);
  return run.result === null ? 'null' : textOf(run.result);
}

/** The record of a run as JSON. A large result is left out; it has an address of its own. */
export function recordText(run: RunRecord, tool: string): string {
  const summary = run.code === null ? null : { code: run.code, msg: run.message };
  const result = isWithoutResult(run)
    ? JSON.stringify(withoutResult)
    : (shortResult(run) ?? JSON.stringify(summary));
  const record = JSON.stringify({
    run_id: run.runId,
    tool,
    script_name: run.scriptName,
    state: run.state,
    end_cause: run.endCause,
    exit_code: run.exitCode,
    data: run.data,
    params: run.params,
    origin: run.origin,
    client: run.client,
    attempt: run.attempt,
    next_attempt_at: run.nextAttemptAt,
    queued_at: run.queuedAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    duration_ms: run.durationMs,
    stdout: runUri(run.runId, 'stdout'),
    stderr: runUri(run.runId, 'stderr'),
  });
  // Inserts the text of the script, which keeps all digits of its numbers.
  return `${record.slice(0, -1)},"result":${result}}`;
}

/** One line about a run, which no text of the script can divide. */
export function runLine(run: BriefRun, tool: string | null): string {
  const { runId, scriptName, state, queuedAt, attempt, code } = run;
  const what = tool === null ? scriptName : `${tool} ("${scriptName}")`;
  const isSilent = isWithoutResult(run);
  const message = isSilent ? withoutResult.msg : run.message;
  const end = isOpen(run) ? openState(run) : `${state}${code === null || isSilent ? '' : `, code ${code}`}`;
  const number = attempt === 1 ? '' : `, attempt ${attempt}`;
  return `${runId}: ${oneLine(what)}${number}, ${end}, queued at ${queuedAt}${message ? `: ${oneLine(message)}` : ''}`;
}

function oneLine(text: string): string {
  return cutMessage(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), longestLineMessage);
}

function openState({ state, nextAttemptAt, attempt }: BriefRun): string {
  if (nextAttemptAt !== null)
    return `failed${attempt === 1 ? '' : ` ${attempt} times`} and is tried again at ${nextAttemptAt}`;
  return state === 'queued' ? 'waits for a free slot' : 'is still running';
}

function outputText(name: string, { text, from }: OutputText): string {
  const trimmed = text.trimEnd();
  if (trimmed === '') return '';
  return `${from === 0 ? name : `The end of ${name} (hob_output returns all of it)`}:\n${trimmed}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The envelope as the script wrote it; null if it is too large to be shown. */
function shortResult({ result }: RunRecord): string | null {
  return result === null || result.length > largestEnvelopeBytes ? null : textOf(result);
}

function parseEnvelope(text: string | null): JsonObject | null {
  const parsed = text === null ? null : tryParseJson(text);
  return isJsonObject(parsed) ? parsed : null;
}
