import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { decodeRingState, ringFileOf } from '../execution/ring-state.ts';
import { Capture } from './capture.ts';

/** Bytes that differ from their neighbours, so that a shift by one shows. */
const pattern = (length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 251));

const stateOf = (log: string) => decodeRingState(readFileSync(ringFileOf(log)));

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

interface Kept {
  bytes: number;
  headBytes: number;
  tailBytes: number;
  content: Buffer;
}

async function captured(path: string, limit: number, chunks: readonly Uint8Array[]): Promise<Kept> {
  rmSync(path, { force: true });
  rmSync(ringFileOf(path), { force: true });
  const capture = new Capture(path, limit);
  for (const chunk of chunks) capture.take(chunk);
  const { text, ...counts } = await capture.settle();
  if (text !== undefined) expect(Buffer.from(text)).toEqual(Buffer.concat(chunks));
  return { ...counts, content: counts.bytes === 0 ? Buffer.alloc(0) : readFileSync(path) };
}

/** The expected content of a log, computed in the simplest way: the whole output, or its first and last half. */
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
  it('keeps all output up to its limit, and beyond it the first and the last half, at every boundary', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    for (const limit of [2, 3, 7, 8, 16]) {
      for (let length = 0; length <= 4 * limit + 2; length++) {
        const all = pattern(length);
        expect(await captured(path, limit, [all])).toEqual(expected(limit, all));
        expect(await captured(path, limit, split(all, Array(length).fill(1)))).toEqual(expected(limit, all));
      }
    }
  });

  it('does not depend on how the output was split into chunks', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 40 }),
        fc.uint8Array({ maxLength: 300, size: 'max' }),
        fc.array(fc.nat(50), { maxLength: 30 }),
        async (limit, bytes, sizes) => {
          const all = Buffer.from(bytes);
          expect(await captured(path, limit, split(all, sizes))).toEqual(expected(limit, all));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never exceeds its limit, not even for a moment', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 1000);
    for (let round = 0; round < 50; round++) {
      capture.take(pattern(333));
      expect(statSync(path).size).toBeLessThanOrEqual(1000);
    }
    expect(await capture.settle()).toEqual({ bytes: 16_650, headBytes: 500, tailBytes: 500 });
  });

  it('counts the bytes of a very large output exactly', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const chunk = pattern(65_536);
    const all = Buffer.concat(Array(200).fill(chunk));
    const kept = await captured(path, 1_000_001, Array(200).fill(chunk));
    expect({ ...kept, content: null }).toEqual({
      bytes: 13_107_200,
      headBytes: 500_001,
      tailBytes: 500_000,
      content: null,
    });
    expect(kept.content.equals(expected(1_000_001, all).content)).toBe(true);
  });

  it('exists once it is opened, or has output', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 100);
    expect(existsSync(path)).toBe(false);
    capture.open();
    capture.open();
    expect(statSync(path).size).toBe(0);
    expect(await capture.settle()).toEqual({ bytes: 0, headBytes: 0, tailBytes: 0 });
    rmSync(path);
    const silent = new Capture(path, 100);
    expect(await silent.settle()).toEqual({ bytes: 0, headBytes: 0, tailBytes: 0 });
    expect(existsSync(path)).toBe(false);
  });

  it('includes its text when that is short and valid UTF-8', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const textOf = async (limit: number, chunks: Uint8Array[]) => {
      rmSync(path, { force: true });
      const capture = new Capture(path, limit);
      for (const chunk of chunks) capture.take(chunk);
      return (await capture.settle()).text;
    };
    const [first, second] = [Buffer.from('\ufeff好').subarray(0, 4), Buffer.from('\ufeff好\n').subarray(4)];
    expect(await textOf(1e6, [first, second])).toBe('\ufeff好\n');
    expect(await textOf(1e6, [Buffer.alloc(1024, 'x')])).toBe('x'.repeat(1024));
    expect(await textOf(1e6, [Buffer.alloc(1025, 'x')])).toBeUndefined();
    expect(await textOf(100, [Buffer.alloc(101, 'x')])).toBe('x'.repeat(101));
    expect(await textOf(1e6, [first])).toBeUndefined();
  });

  it('is readable only by its user', async () => {
    const before = process.umask(0);
    onTestFinished(() => {
      process.umask(before);
    });
    const path = join(await tempFolder(), 'stdout.log');
    await captured(path, 100, [pattern(3)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('accepts no output after the run has ended', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 100);
    capture.take(Buffer.from('before'));
    expect((await capture.settle()).bytes).toBe(6);
    capture.take(Buffer.from('after'));
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  it('never overwrites an existing file, and is not created in a missing folder', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'stdout.log');
    writeFileSync(path, 'planted');
    expect(() => new Capture(path, 100).open()).toThrow('EEXIST');
    const capture = new Capture(path, 100);
    capture.prepare();
    capture.take(pattern(2000));
    expect(await capture.settle()).toEqual({ bytes: 2000, headBytes: 0, tailBytes: 0 });
    expect(readFileSync(path, 'utf8')).toBe('planted');
    expect(() => new Capture(join(folder, 'gone', 'stdout.log'), 100).open()).toThrow('ENOENT');
  });

  it('gets a file with the state of its ring before the first byte is overwritten, and not earlier', async () => {
    const log = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(log, 10);
    const ring = { phase: 'ring', headBytes: 5, tailBytes: 5 };
    capture.take(pattern(10));
    expect(existsSync(ringFileOf(log))).toBe(false);
    capture.take(pattern(1));
    expect(stateOf(log)).toEqual({ ...ring, done: 11, until: 11 });
    expect(statSync(ringFileOf(log)).mode & 0o777).toBe(0o600);
    capture.take(pattern(22));
    expect(stateOf(log)).toEqual({ ...ring, done: 33, until: 33 });
    await capture.settle();
    expect(stateOf(log)).toEqual({ ...ring, phase: 'ordered', done: 33, until: 33 });
  });

  it('ends where its ring would begin when the state of the ring cannot be written', async () => {
    const log = join(await tempFolder(), 'stdout.log');
    writeFileSync(ringFileOf(log), 'planted');
    const capture = new Capture(log, 10);
    capture.take(pattern(8));
    capture.take(pattern(80));
    expect(await capture.settle()).toEqual({ bytes: 88, headBytes: 10, tailBytes: 0 });
    expect(readFileSync(log)).toEqual(Buffer.concat([pattern(8), pattern(2)]));
    expect(readFileSync(ringFileOf(log), 'utf8')).toBe('planted');
  });

  it.skipIf(!canMount)('ends at the byte at which the disk is full', async () => {
    const folder = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
    });
    const all = pattern(100_000);
    // The disk is full in the head, in the tail, and exactly when the ring file is needed.
    for (const limit of [1_000_000, 80_000, 65_536]) {
      const kept = await captured(join(folder, 'stdout.log'), limit, split(all, Array(25).fill(4000)));
      expect(kept).toEqual({
        bytes: 100_000,
        headBytes: 65_536,
        tailBytes: 0,
        content: all.subarray(0, 65_536),
      });
      expect(existsSync(join(folder, 'stdout.ring'))).toBe(false);
    }
    // The disk has space for the ring file, which never grows.
    expect(await captured(join(folder, 'stdout.log'), 61_440, split(all, Array(25).fill(4000)))).toEqual(
      expected(61_440, all),
    );
  });

  it('keeps only its beginning when the script truncates it', async () => {
    const path = join(await tempFolder(), 'stdout.log');
    const capture = new Capture(path, 100);
    capture.take(pattern(333));
    truncateSync(path, 10);
    expect(await capture.settle()).toEqual({ bytes: 333, headBytes: 50, tailBytes: 0 });
  });
});
