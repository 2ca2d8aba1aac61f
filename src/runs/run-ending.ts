import type { RunEnd } from '../execution/messages.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language, Text } from '../shared/text.ts';
import { readEnvelope, synthesizeEnvelope } from './envelope.ts';
import type { RunFolder } from './parameter-file.ts';
import { readLastLines } from './read-output.ts';
import type { RunEnding, RunState } from './run-record.ts';

interface EndingContext {
  folder: RunFolder;
  maxResultBytes: number;
  timeoutMs: number | null;
  unavailable: Text | null;
  language: Language;
}

/** What became of a run, from how its process ended and what it left behind. */
export async function concludeRun(
  end: RunEnd,
  context: EndingContext,
): Promise<RunEnding & { result: JsonObject }> {
  const { folder } = context;
  const reading = await readEnvelope(folder.resultFile, context.maxResultBytes);
  const result =
    reading.kind === 'valid'
      ? reading.envelope
      : synthesizeEnvelope({
          ...context,
          end,
          reading,
          lastErrorLines: await readLastLines(folder.stderrLog, end.stderr),
        });
  return {
    state: stateOf(end),
    endCause: end.cause,
    exitCode: end.cause === 'lost' ? null : end.exitCode,
    result,
    envelope: reading.kind === 'valid' ? 'own' : 'synthesized',
    startedAt: end.startedAtMs === null ? null : new Date(end.startedAtMs).toISOString(),
    endedAt: new Date(end.endedAtMs).toISOString(),
    durationMs: Math.round(end.durationMs),
    stdoutBytes: end.stdout.bytes,
    stderrBytes: end.stderr.bytes,
    truncated: [end.stdout, end.stderr].some((stream) => stream.headBytes + stream.tailBytes < stream.bytes),
    leftRunning: end.leftRunning,
  };
}

function stateOf(end: RunEnd): RunState {
  if (end.cause === 'lost') return 'unknown';
  return isSuccess(end) ? 'succeeded' : 'failed';
}

/** Exit code 0, and neither timed out nor stopped by Hob. */
export function isSuccess(end: Pick<RunEnd, 'cause' | 'exitCode'>): boolean {
  return end.cause === 'exit' && end.exitCode === 0;
}
