import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../../test/support/hob.ts';
import { endWithoutProcess } from '../../execution/messages.ts';
import { encodeRingState, ringFileOf } from '../../execution/ring-state.ts';
import { Capture } from '../../executor/capture.ts';
import { runFolderAt } from '../run.ts';
import { withKeptOutput } from './lost-output.ts';

async function lostRun() {
  const folder = runFolderAt(await tempFolder(), 'run');
  mkdirSync(folder.path);
  return { folder, end: endWithoutProcess('run', 'lost') };
}

const nothing = { bytes: 0, headBytes: 0, tailBytes: 0 };

/** Writes like an executor that is killed before it can reorder the ring. */
function abandon(log: string, limit: number, all: Buffer): void {
  const capture = new Capture(log, limit);
  capture.open();
  for (let at = 0; at < all.length; at += 7) capture.take(all.subarray(at, at + 7));
}

const stream = (length: number) => Buffer.from(Array.from({ length }, (_, index) => (index * 7) % 251));

describe('the output of a lost run', () => {
  it('is reordered if its end was kept in a ring, at any position of the ring', async () => {
    for (const limit of [2, 3, 16, 41]) {
      for (let length = 0; length <= 3 * limit + 2; length++) {
        const { folder, end } = await lostRun();
        const all = stream(length);
        abandon(folder.stdoutLog, limit, all);
        const { stdout } = await withKeptOutput(end, folder);
        const isWhole = length <= limit;
        const head = isWhole ? length : Math.ceil(limit / 2);
        const tail = isWhole ? 0 : Math.floor(limit / 2);
        expect(stdout).toEqual({ bytes: length, headBytes: head, tailBytes: tail });
        const kept = Buffer.concat([all.subarray(0, head), all.subarray(length - tail)]);
        expect(readFileSync(folder.stdoutLog)).toEqual(kept);
        // Again, as after a service that was killed before it recorded the result.
        expect((await withKeptOutput(end, folder)).stdout).toEqual(stdout);
        expect(readFileSync(folder.stdoutLog)).toEqual(kept);
      }
    }
  });

  it('lacks the bytes that were being written when its executor was killed, and the bytes they replaced', async () => {
    const { folder, end } = await lostRun();
    const all = stream(103);
    abandon(folder.stdoutLog, 40, all);
    const ring = { phase: 'ring', headBytes: 20, tailBytes: 20, done: 103, until: 108 } as const;
    writeFileSync(ringFileOf(folder.stdoutLog), encodeRingState(ring));
    const { stdout } = await withKeptOutput(end, folder);
    expect(stdout).toEqual({ bytes: 103, headBytes: 20, tailBytes: 15 });
    expect(readFileSync(folder.stdoutLog)).toEqual(
      Buffer.concat([all.subarray(0, 20), all.subarray(103 - 15)]),
    );
  });

  it.each([
    ['was being reordered', { phase: 'ordering', headBytes: 20, tailBytes: 20, done: 103, until: 103 }],
    [
      'belongs to a ring larger than its log',
      { phase: 'ring', headBytes: 20, tailBytes: 90, done: 120, until: 120 },
    ],
  ] as const)('is only its beginning when it %s', async (_what, state) => {
    const { folder, end } = await lostRun();
    abandon(folder.stdoutLog, 40, stream(103));
    writeFileSync(ringFileOf(folder.stdoutLog), encodeRingState(state));
    const { stdout } = await withKeptOutput(end, folder);
    expect(stdout).toEqual({ bytes: state.done, headBytes: 20, tailBytes: 0 });
  });

  it('is half of its log if the state of the ring is unknown', async () => {
    const { folder, end } = await lostRun();
    abandon(folder.stdoutLog, 41, stream(103));
    writeFileSync(ringFileOf(folder.stdoutLog), 'torn');
    expect((await withKeptOutput(end, folder)).stdout).toEqual({ bytes: 41, headBytes: 21, tailBytes: 0 });
  });

  it('is the content of its logs', async () => {
    const { folder, end } = await lostRun();
    writeFileSync(folder.stdoutLog, 'twelve bytes');
    writeFileSync(folder.stderrLog, '三');
    expect(await withKeptOutput(end, folder)).toEqual({
      ...end,
      stdout: { bytes: 12, headBytes: 12, tailBytes: 0 },
      stderr: { bytes: 3, headBytes: 3, tailBytes: 0 },
    });
  });

  it('is empty if a log is missing or empty', async () => {
    const { folder, end } = await lostRun();
    writeFileSync(folder.stderrLog, '');
    expect(await withKeptOutput(end, folder)).toEqual({ ...end, stdout: nothing, stderr: nothing });
  });

  it('is empty if its folder was removed', async () => {
    const { end } = await lostRun();
    const folder = runFolderAt(await tempFolder(), 'never made');
    expect(await withKeptOutput(end, folder)).toEqual(end);
  });

  it('does not include a file that the script put in place of a log', async () => {
    const { folder, end } = await lostRun();
    mkdirSync(folder.stdoutLog);
    symlinkSync('/etc/passwd', folder.stderrLog);
    expect(await withKeptOutput(end, folder)).toEqual({ ...end, stdout: nothing, stderr: nothing });
  });
});
