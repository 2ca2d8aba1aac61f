import { describeEnding } from '../contract/endings.ts';
import type { StreamName } from '../runs/output/run-outputs.ts';
import type { BriefRun, RunRecord } from '../runs/run-record.ts';
import { isOpen } from '../runs/run-record.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../shared/json.ts';
import type { ToolAnswer } from './agent.ts';
import type { OutputText } from './run-output.ts';

/** An agent pays for every letter that it reads. */
export const shownOutputBytes = 2000;

const largestEnvelopeBytes = 64 * 1024;

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
  const { runId, result, state, exitCode, endCause, durationMs, envelope } = run;
  const whole = result === null || result.length > largestEnvelopeBytes ? null : parseEnvelope(result);
  const isSuccess = state === 'succeeded';
  const end = endCause === null ? 'The run has ended' : describeEnding({ cause: endCause, exitCode }).en;
  const seconds = durationMs === null ? '' : ` after ${(durationMs / 1000).toFixed(1)} s`;
  const text = [
    `${isSuccess ? 'Succeeded' : `Failed: ${end}`}${seconds}. Run ${runId}.`,
    // The message of Hob says only that the script wrote no result. An ordinary program writes none.
    isSuccess && envelope === 'synthesized' ? '' : (run.message ?? ''),
    ...(whole === null && result !== null
      ? [`The result has ${result.length} bytes. Read it from ${runUri(runId, 'result')}.`]
      : []),
    ...(isShown(run, 'stdout') ? [outputText('stdout', output.stdout)] : []),
    ...(isShown(run, 'stderr') ? [outputText('stderr', output.stderr)] : []),
  ];
  // A client may show its model nothing but the structured content.
  const shown = {
    ...(whole ?? { code: run.code ?? 0, msg: run.message ?? '' }),
    ...(envelope === 'synthesized' && { stdout: output.stdout.text }),
    ...(envelope === 'synthesized' && !isSuccess && { stderr: output.stderr.text }),
  };
  return {
    content: [
      { type: 'text', text: joined(text) },
      // Some agents read only texts.
      ...(envelope === 'own' && whole !== null
        ? [{ type: 'text', text: JSON.stringify(whole) } as const]
        : []),
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

/** The record of a run as JSON. A large result is left out; it has an address of its own. */
export function recordText(run: RunRecord, tool: string): string {
  const { result } = run;
  const whole = result === null || result.length > largestEnvelopeBytes ? null : parseEnvelope(result);
  return JSON.stringify({
    run_id: run.runId,
    tool,
    script_name: run.scriptName,
    state: run.state,
    end_cause: run.endCause,
    exit_code: run.exitCode,
    result: whole ?? (run.code === null ? null : { code: run.code, msg: run.message }),
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
}

/** One line about a run. */
export function runLine(run: BriefRun, tool: string | null): string {
  const { runId, scriptName, state, queuedAt, message, code } = run;
  const what = tool === null ? scriptName : `${tool} ("${scriptName}")`;
  const end = isOpen(run) ? openState(run) : `${state}${code === null ? '' : `, code ${code}`}`;
  return `${runId}: ${what}, ${end}, queued at ${queuedAt}${message ? `: ${message}` : ''}`;
}

function openState({ state, nextAttemptAt }: BriefRun): string {
  if (nextAttemptAt !== null) return `failed and is tried again at ${nextAttemptAt}`;
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

function parseEnvelope(result: Uint8Array): JsonObject | null {
  const parsed = tryParseJson(Buffer.from(result.buffer, result.byteOffset, result.length).toString('utf8'));
  return isJsonObject(parsed) ? parsed : null;
}
