import { Run } from '../../src/runs/run.ts';
import type { RunRecord } from '../../src/runs/run-record.ts';
import { createLogger } from '../../src/shared/log.ts';
import { queuedRun } from './run-records.ts';
import { smallLimits } from './run-service.ts';
import { someScript } from './some-script.ts';

const log = await createLogger('silent');

/** A run that was just requested or, if `isRecovered`, that an earlier service left without an end. */
export function newRun(
  record: RunRecord = queuedRun(),
  { isRecovered = false, scriptFolder = '/scripts/one' } = {},
): Run {
  const key = { scriptId: 'script', keyHash: 'hash', bodyMac: 'mac' };
  return new Run({
    record,
    script: { ...someScript(), folder: scriptFolder },
    language: 'en',
    isKeyed: false,
    acceptance: isRecovered ? null : { tokenHash: `token of ${record.runId}`, key, previousRunId: null },
    runsFolder: '/runs',
    limits: smallLimits,
    log,
  });
}
