import { randomUUID } from 'node:crypto';

import type { BriefRun } from '../../src/runs/run-record.ts';

/** A run that is under way, for tests that need no real one. */
export function briefRun(rest: Partial<BriefRun> = {}): BriefRun {
  return {
    runId: randomUUID(),
    scriptId: randomUUID(),
    scriptName: 'x',
    scriptVersion: null,
    origin: 'execute',
    parentRunId: null,
    depth: 0,
    sync: false,
    executor: null,
    state: 'running',
    endCause: null,
    exitCode: null,
    result: null,
    code: null,
    message: null,
    envelope: null,
    data: {},
    params: {},
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
    ...rest,
  };
}
