import type { JsonObject } from '../../shared/json.ts';
import { readRun } from '../history/run-record.ts';
import { printJson } from '../terminal/print-json.ts';
import { exitCodes, ReportedError } from '../user-error.ts';
import type { Connection } from './connection.ts';
import { describeEnd, isSuccessful } from './describe-end.ts';
import { followRun } from './follow-run.ts';
import { CollectingDisplay, passingDisplay } from './run-display.ts';

interface Showing {
  readonly connection: Connection;
  readonly isJson: boolean;
  readonly timeoutMs?: number | null;
}

/** Shows a run until it ends, prints its result and sets the exit code of the command. */
export async function showRun(
  runId: string,
  { connection, isJson, timeoutMs = null }: Showing,
): Promise<void> {
  const { record, stopCode } = isJson
    ? await collect(runId, connection, timeoutMs)
    : await pass(runId, connection, timeoutMs);
  const isFine = isSuccessful(readRun(record));
  // A run that succeeded just before it was cancelled counts as a success.
  if (!isFine) throw new ReportedError(stopCode ?? exitCodes.failed);
}

async function pass(runId: string, connection: Connection, timeoutMs: number | null) {
  const followed = await followRun(runId, { connection, display: passingDisplay(), timeoutMs });
  process.stderr.write(describeEnd(followed.record));
  return followed;
}

async function collect(runId: string, connection: Connection, timeoutMs: number | null) {
  const display = new CollectingDisplay();
  const followed = await followRun(runId, { connection, display, timeoutMs });
  const answer: JsonObject = endAnswer(followed.record, display);
  printJson(answer);
  return followed;
}

/** The response of a synchronous execute call, plus the run id. */
function endAnswer(record: JsonObject, display: CollectingDisplay): JsonObject {
  const isSuccess = record.state === 'succeeded';
  const { result, exit_code, run_id } = record;
  const message = typeof result === 'object' && result !== null && 'msg' in result ? result.msg : null;
  return {
    status: isSuccess ? 'success' : 'error',
    message: message ?? '',
    exit_code: exit_code ?? -1,
    success: isSuccess,
    timed_out: record.end_cause === 'timeout',
    stdout: display.textOf('stdout'),
    stderr: display.textOf('stderr'),
    result: result ?? {},
    run_id: run_id ?? '',
  };
}
