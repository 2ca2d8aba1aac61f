import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { ringFileOf } from '../execution/ring-state.ts';
import { Capture } from './capture.ts';

/** Bytes that differ from their neighbours, so that a shift by one shows. */
const pattern = (length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 251));

interface Kept {
  bytes: number;
  headBytes: number;
  tailBytes: number;
  content: Buffer;
}

function captured(path: string, limit: number, chunks: readonly Uint8Array[]): Kept {
  rmSync(path, { force: true });
  rmSync(ringFileOf(path), { force: true });
  const capture = new Capture(path, limit);
  for (const chunk of chunks) capture.take(chunk);
  const counts = capture.settle();
  return { ...counts, content: counts.bytes === 0 ? Buffer.alloc(0) : readFileSync(path) };
}

/** What a log should hold, by the plain meaning of the words: all of it, or its first and its last half. */
function expected(limit: number, all: Buffer): Kept {
  const head = Math.ceil(limit / 2);
  const tail = Math.floor(limit / 2);
  if (all.length <= limit) return { bytes: all.length, headBytes: all.length, tailBytes: 0, content: all };
  return {
    bytes: all.length,
    headBytes: head,
    tailBytes: tail,
    content: Buffer.concat([all.subarray(0, head), all.subarray(all.length - tail)]),
  };
}

function split(all: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    chunks.push(all.subarray(start, start + size));
    start += size;
  }
  chunks.push(all.subarray(start));
  return chunks;
}

describe('the log of a stream', () => {
  it('keeps everything up to its limit, and beyond it the first and the last half, at every boundary', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    for (const limit of [2, 3, 7, 8, 16]) {
      for (let length = 0; length <= 4 * limit + 2; length++) {
        const all = pattern(length);
        expect(captured(path, limit, [all])).toEqual(expected(limit, all));
        expect(captured(path, limit, split(all, Array(length).fill(1)))).toEqual(expected(limit, all));
      }
    }
  });

  it('is the same however the output was cut into pieces', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.uint8Array({ maxLength: 300, size: 'max' }),
        fc.array(fc.nat(50), { maxLength: 30 }),
        (limit, bytes, sizes) => {
          const all = Buffer.from(bytes);
          expect(captured(path, limit, split(all, sizes))).toEqual(expected(limit, all));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never grows beyond its limit, not even for a moment', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 1000);
    for (let round = 0; round < 50; round++) {
      capture.take(pattern(333));
      expect(statSync(path).size).toBeLessThanOrEqual(1000);
    }
    expect(capture.settle()).toEqual({ bytes: 16_650, headBytes: 500, tailBytes: 500 });
  });

  it('counts a flood exactly', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const chunk = pattern(65_536);
    const all = Buffer.concat(Array(200).fill(chunk));
    const kept = captured(path, 1_000_001, Array(200).fill(chunk));
    expect({ ...kept, content: null }).toEqual({
      bytes: 13_107_200,
      headBytes: 500_001,
      tailBytes: 500_000,
      content: null,
    });
    expect(kept.content.equals(expected(1_000_001, all).content)).toBe(true);
  });

  it('is there from the start, and empty for a script that said nothing', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 100);
    expect(statSync(path).size).toBe(0);
    expect(capture.settle()).toEqual({ bytes: 0, headBytes: 0, tailBytes: 0 });
  });

  it('is for its user alone', async () => {
    const before = process.umask(0);
    onTestFinished(() => {
      process.umask(before);
    });
    const path = join(await tempFolder(), 'stdout.log');
    captured(path, 100, [pattern(3)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('takes nothing more once the run has ended', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 100);
    capture.take(Buffer.from('before'));
    expect(capture.settle().bytes).toBe(6);
    capture.take(Buffer.from('after'));
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  it('is never written over a file that is there already, nor made where there is no room', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'stdout.log');
    writeFileSync(path, 'planted');
    expect(() => new Capture(path, 100)).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('planted');
    expect(() => new Capture(join(folder, 'gone', 'stdout.log'), 100)).toThrow('ENOENT');
  });

  it('may be cut short by its script, and is then known by its beginning alone', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 100);
    capture.take(pattern(333));
    truncateSync(path, 10);
    expect(capture.settle()).toEqual({ bytes: 333, headBytes: 50, tailBytes: 0 });
  });
});
