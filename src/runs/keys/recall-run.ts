import type { RunEnd } from '../../execution/messages.ts';
import { keptIn } from '../outcome/lost-output.ts';
import { outcomeOf } from '../outcome/run-ending.ts';
import { runFolderAt } from '../run-folder.ts';
import type { KeptOutput, RunRecord } from '../run-record.ts';
import type { RunOutcome, RunServiceOptions } from '../run-request.ts';

interface RecallOptions extends Pick<RunServiceOptions, 'readOutcome' | 'runsFolder'> {
  limits: Pick<RunServiceOptions['limits'], 'resultBytes' | 'outputAnswerBytes'>;
}

/**
 * Rebuilds the outcome of an ended run, possibly of an earlier service, as its first caller received it. The envelope
 * comes from the record, because the result file may have changed since. The output comes from the run's folder.
 */
export async function recallOutcome(
  record: RunRecord,
  { readOutcome, runsFolder, limits }: RecallOptions,
): Promise<RunOutcome> {
  const folder = runFolderAt(runsFolder, record.runId);
  const end: RunEnd = {
    runId: record.runId,
    cause: record.endCause ?? 'lost',
    exitCode: record.exitCode ?? -1,
    signal: null,
    spawnError: null,
    startedAtMs: null,
    endedAtMs: Date.parse(record.endedAt ?? record.queuedAt),
    durationMs: record.durationMs ?? 0,
    stdout: await capture(folder.stdoutLog, record.stdoutBytes, record.stdoutKept),
    stderr: await capture(folder.stderrLog, record.stderrBytes, record.stderrKept),
    leftRunning: record.leftRunning,
  };
  const texts = await readOutcome({
    folder,
    end,
    timeoutMs: null,
    unavailable: null,
    language: 'zh',
    limits: { resultBytes: limits.resultBytes, outputAnswerBytes: limits.outputAnswerBytes },
    withOutput: true,
    recorded: record.result,
  });
  return outcomeOf(end, texts);
}

async function capture(log: string, bytes: number | null, kept: KeptOutput | null) {
  return bytes === null || kept === null ? keptIn(log) : { bytes, ...kept };
}
