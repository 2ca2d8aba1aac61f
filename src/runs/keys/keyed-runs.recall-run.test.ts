import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { queuedRun } from '../../../test/support/run-records.ts';
import { textOf } from '../../shared/json.ts';
import { readOutcome } from '../outcome/read-outcome.ts';
import type { RunRecord } from '../run-record.ts';
import { recallOutcome } from './keyed-runs.ts';

const limits = { resultBytes: 1000, outputAnswerBytes: 100 };
const result = '{ "code": 7, "msg": "\\u5b8c\\u6210", "id": 123456789012345678901234567890 }';

async function setUp(rest: Partial<RunRecord> = {}) {
  const runsFolder = await tempFolder();
  const record: RunRecord = {
    ...queuedRun(),
    params: {},
    state: 'failed',
    endCause: 'exit',
    exitCode: 3,
    result: Buffer.from(result),
    endedAt: '2024-05-01T12:00:05.000Z',
    durationMs: 5,
    stdoutBytes: 4,
    stderrBytes: 1000,
    stdoutKept: { headBytes: 4, tailBytes: 0 },
    stderrKept: { headBytes: 8, tailBytes: 8 },
    ...rest,
  };
  const folder = join(runsFolder, record.runId);
  await mkdir(folder);
  await writeFile(join(folder, 'stdout.log'), 'out\n');
  await writeFile(join(folder, 'stderr.log'), 'begin...\n... end');
  // A script may change its file even after the run has ended.
  await writeFile(join(folder, 'result.json'), '{"code":0,"msg":"changed"}');
  const recall = async () => {
    const outcome = await recallOutcome(record, { readOutcome, runsFolder, limits });
    const { message, stdout, stderr } = outcome;
    const read = (literal: Uint8Array): string => JSON.parse(textOf(literal));
    return {
      ...outcome,
      result: textOf(outcome.result),
      message: read(message),
      stdout: read(stdout),
      stderr: read(stderr),
    };
  };
  return { recall, folder };
}

describe('the recalled outcome of a run', () => {
  it('has the exact envelope on record and the output of the logs, with omissions marked', async () => {
    const { recall } = await setUp();
    expect(await recall()).toMatchObject({
      exitCode: 3,
      success: false,
      timedOut: false,
      result,
      message: '完成',
      stdout: 'out\n',
      stderr: expect.stringMatching(/^begin.*984 bytes left out by Hob.*end$/s),
    });
  });

  it.each<[string, Partial<RunRecord>, object]>([
    ['success', { state: 'succeeded', exitCode: 0 }, { success: true, exitCode: 0 }],
    ['a timeout', { endCause: 'timeout', exitCode: 143 }, { success: false, timedOut: true }],
    ['a cancel that it met with 0', { endCause: 'cancelled', exitCode: 0 }, { success: false, exitCode: 0 }],
    [
      'no known end',
      { endCause: 'lost', state: 'unknown', exitCode: null },
      { success: false, exitCode: -1 },
    ],
  ])('states whether the run succeeded: %s', async (_what, rest, expected) => {
    const { recall } = await setUp(rest);
    expect(await recall()).toMatchObject({ timedOut: false, ...expected });
  });

  it('has the whole logs if their kept size is not on record', async () => {
    const { recall } = await setUp({ stdoutKept: null, stderrBytes: null, stderrKept: null });
    expect(await recall()).toMatchObject({ stdout: 'out\n', stderr: 'begin...\n... end' });
  });

  it('marks the output as missing if its folder was removed', async () => {
    const { recall, folder } = await setUp();
    await rm(folder, { recursive: true });
    expect(await recall()).toMatchObject({ result, stdout: expect.stringContaining('4 bytes left out') });
  });
});
