import type { JsonObject } from '../../shared/json.ts';
import type { CollectingDisplay } from './run-display.ts';

/** The response of a synchronous execute call, plus the run id. */
export function endAnswer(record: JsonObject, display: CollectingDisplay): JsonObject {
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
