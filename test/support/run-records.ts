import { randomUUID } from 'node:crypto';

import type { RunEnding, RunRecord } from '../../src/runs/run-record.ts';

/** The record of a run that has just been queued. */
export function queuedRun(rest: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: randomUUID(),
    scriptId: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
    scriptName: '缩放图片',
    scriptVersion: '1.0.0',
    origin: 'execute',
    triggerId: null,
    client: null,
    parentRunId: null,
    depth: 0,
    sync: false,
    attempt: 1,
    firstRunId: null,
    retries: null,
    executor: null,
    state: 'queued',
    endCause: null,
    exitCode: null,
    result: null,
    code: null,
    message: null,
    envelope: null,
    data: { images: ['/a', '/b'] },
    params: { quality: 85 },
    queuedAt: '2024-05-01T12:00:00.000Z',
    startedAt: null,
    endedAt: null,
    durationMs: null,
    stdoutBytes: null,
    stderrBytes: null,
    stdoutKept: null,
    stderrKept: null,
    truncated: null,
    leftRunning: null,
    nextAttemptAt: null,
    ...rest,
  };
}

/** A successful end of a run. */
export function runEnding(rest: Partial<RunEnding> = {}): RunEnding {
  return {
    state: 'succeeded',
    endCause: 'exit',
    exitCode: 0,
    result: Uint8Array.from(
      Buffer.from('{"code": 0, "msg":"完成", "id":9007199254740993, "deep":{"a":[null]}}'),
    ),
    code: 0,
    message: '完成',
    envelope: 'own',
    startedAt: '2024-05-01T12:00:01.000Z',
    endedAt: '2024-05-01T12:00:02.000Z',
    durationMs: 1000,
    stdoutBytes: 12,
    stderrBytes: 0,
    stdoutKept: { headBytes: 8, tailBytes: 4 },
    stderrKept: { headBytes: 0, tailBytes: 0 },
    truncated: false,
    leftRunning: null,
    nextAttemptAt: null,
    ...rest,
  };
}
