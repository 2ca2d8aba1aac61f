import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { MemoryRunStore } from '../../../test/support/memory-run-store.ts';
import { queuedRun, runEnding } from '../../../test/support/run-records.ts';
import type { StreamCapture } from '../../execution/messages.ts';
import { encodeRingState, ringFileOf } from '../../execution/ring-state.ts';
import { Capture } from '../../executor/capture.ts';
import { Feed } from '../../shared/feed.ts';
import type { RunEvent } from '../run-record.ts';
import { type OutputPiece, RunOutputs } from './run-outputs.ts';

const captureEntry = new URL('../../../test/support/capture-worker.mjs', import.meta.url);
const runId = '93081ff8-7e74-4d11-9162-237fb30f8fee';

const queued = queuedRun({ runId });

/** A run that the test controls. */
async function startRun() {
  const runsFolder = await tempFolder();
  const log = join(runsFolder, runId, 'stdout.log');
  const store = new MemoryRunStore();
  const events = new Feed<RunEvent>();
  store.insert(queued, 'token');
  const outputs = new RunOutputs({ store, events, runsFolder });
  return {
    log,
    outputs,
    begin(limit: number): Capture {
      mkdirSync(join(runsFolder, runId));
      store.markStarted(runId, { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' });
      events.publish({ type: 'started', run: queued });
      const capture = new Capture(log, limit);
      capture.open();
      return capture;
    },
    end({ bytes, headBytes, tailBytes }: StreamCapture, knowsKept = true): void {
      const stdoutKept = knowsKept ? { headBytes, tailBytes } : null;
      store.finish(runId, runEnding({ stdoutBytes: bytes, stdoutKept }));
      events.publish({ type: 'ended', run: queued });
    },
    read(from = 0, until = Number.POSITIVE_INFINITY, signal = new AbortController().signal) {
      return outputs.read({ runId, stream: 'stdout', from, until }, signal);
    },
    reaches(offset: number) {
      return outputs.reaches(store.find(runId) ?? queued, 'stdout', offset);
    },
    async look() {
      return outputs.look(store.find(runId) ?? queued, 'stdout');
    },
    forget() {
      store.findBrief = () => null;
    },
  };
}

const stream = (length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 251));

async function collect(pieces: AsyncIterable<OutputPiece>, ticks: () => number = () => 0) {
  const all: OutputPiece[] = [];
  for await (const piece of pieces) {
    all.push(piece);
    for (let left = ticks(); left > 0; left--) await turn();
  }
  return all;
}

/** Fails unless the pieces are the stream from this offset on, in order and each byte once, except for reported gaps. */
function check(
  pieces: readonly OutputPiece[],
  all: Buffer,
  from = 0,
  until = all.length,
): { missing: number } {
  let at = from;
  let missing = 0;
  for (const piece of pieces) {
    expect(piece.offset).toBe(at);
    if ('missing' in piece) {
      expect(piece.missing).toBeGreaterThan(0);
      missing += piece.missing;
      at += piece.missing;
    } else {
      expect(piece.bytes.length).toBeGreaterThan(0);
      expect(piece.bytes.length).toBeLessThanOrEqual(256 * 1024);
      expect(all.subarray(at, at + piece.bytes.length).equals(piece.bytes)).toBe(true);
      at += piece.bytes.length;
    }
  }
  expect(at).toBe(Math.max(from, Math.min(until, all.length)));
  return { missing };
}

describe('the end of the output of a run', () => {
  it('is zero before the run starts, then the number of written bytes, kept or not', async () => {
    const run = await startRun();
    expect(await Promise.all([run.reaches(0), run.reaches(1)])).toEqual([true, false]);
    const capture = run.begin(10);
    for (const written of [7, 53]) {
      capture.take(stream(written));
      const { endBytes } = await run.look();
      expect(await run.reaches(endBytes)).toBe(true);
      expect(await run.reaches(endBytes + 1)).toBe(false);
    }
    run.end(await capture.settle());
    expect(await Promise.all([run.reaches(60), run.reaches(61)])).toEqual([true, false]);
  });
});

describe('the output of an ended run', () => {
  it('is complete between any two offsets', async () => {
    const run = await startRun();
    const capture = run.begin(1_000_000);
    const all = stream(700_000);
    capture.take(all);
    run.end(await capture.settle());
    expect(await run.look()).toEqual({
      isLive: false,
      endBytes: 700_000,
      segments: [{ offset: 0, length: 700_000, position: 0 }],
    });
    for (const [from, until] of [
      [0, Number.POSITIVE_INFINITY],
      [699_999, 800_000],
      [5, 6],
      [300_000, 299_999],
      [700_000, 700_001],
    ] as const)
      expect(check(await collect(run.read(from, until)), all, from, until)).toEqual({ missing: 0 });
  });

  it('is its beginning and its end, and the missing range between them, from any offset', async () => {
    for (const limit of [10, 11, 16]) {
      const run = await startRun();
      const capture = run.begin(limit);
      const all = stream(53);
      for (let at = 0; at < 53; at += 3) capture.take(all.subarray(at, at + 3));
      const counts = await capture.settle();
      run.end(counts);
      for (let from = 0; from <= 53; from++) {
        const { missing } = check(await collect(run.read(from)), all, from);
        const [gapStart, gapEnd] = [counts.headBytes, 53 - counts.tailBytes];
        expect(missing).toBe(Math.max(0, gapEnd - Math.max(from, gapStart)));
      }
    }
  });

  it('is reported as missing where its log was truncated, removed or replaced', async () => {
    const all = stream(1000);
    const spoil: ((log: string) => void)[] = [
      (log) => truncateSync(log, 10),
      (log) => rmSync(log),
      (log) => {
        rmSync(log);
        symlinkSync('/etc/passwd', log);
      },
      (log) => {
        rmSync(log);
        execFileSync('mkfifo', [log]);
      },
      (log) => {
        rmSync(log);
        mkdirSync(log);
      },
    ];
    for (const [index, change] of spoil.entries()) {
      for (const isEnded of [true, false]) {
        const run = await startRun();
        const capture = run.begin(10_000);
        capture.take(all);
        if (isEnded) run.end(await capture.settle());
        change(run.log);
        const reading = collect(run.read());
        if (!isEnded) run.end(await capture.settle());
        expect(check(await reading, all)).toEqual({ missing: index === 0 ? 990 : 1000 });
      }
    }
  });

  it('is the part that is certainly in the log if the kept size is not on record', async () => {
    const all = stream(100);
    const whole = await startRun();
    const wholeCapture = whole.begin(100);
    wholeCapture.take(all);
    whole.end(await wholeCapture.settle(), false);
    expect(check(await collect(whole.read()), all)).toEqual({ missing: 0 });

    const cut = await startRun();
    const cutCapture = cut.begin(41);
    cutCapture.take(all);
    cut.end(await cutCapture.settle(), false);
    expect(check(await collect(cut.read()), all)).toEqual({ missing: 79 });
  });

  it('stops when the run is deleted meanwhile', async () => {
    const run = await startRun();
    const capture = run.begin(1_000_000);
    const all = stream(600_000);
    capture.take(all);
    run.end(await capture.settle());
    const pieces: OutputPiece[] = [];
    for await (const piece of run.read()) {
      pieces.push(piece);
      rmSync(run.log);
      run.forget();
    }
    check(pieces, all.subarray(0, 256 * 1024));
  });
});

describe('the output of an executing run', () => {
  it('arrives as the script writes it, from before its start to its end', async () => {
    const run = await startRun();
    const pieces = run.read()[Symbol.asyncIterator]();
    const first = pieces.next();
    const capture = run.begin(1000);
    capture.take(Buffer.from('one '));
    expect((await first).value).toEqual({ offset: 0, bytes: Buffer.from('one ') });
    const second = pieces.next();
    capture.take(Buffer.from('二'));
    expect((await second).value).toEqual({ offset: 4, bytes: Buffer.from('二') });
    const last = pieces.next();
    run.end(await capture.settle());
    expect(await last).toEqual({ value: undefined, done: true });
  });

  it('ends at once for a run that never starts, and for a reader that stops', async () => {
    const run = await startRun();
    const enough = new AbortController();
    const left = collect(run.read(0, Number.POSITIVE_INFINITY, enough.signal));
    enough.abort();
    expect(await left).toEqual([]);
    const waiting = collect(run.read());
    run.end({ bytes: 0, headBytes: 0, tailBytes: 0 });
    expect(await waiting).toEqual([]);
  });

  it('ends at the requested offset', async () => {
    const run = await startRun();
    const capture = run.begin(1000);
    capture.take(stream(20));
    expect(await run.look()).toMatchObject({ isLive: true, endBytes: 20 });
    check(await collect(run.read(3, 20)), stream(20), 3);
    const later = collect(run.read(15, 25));
    capture.take(stream(30).subarray(20));
    check(await later, stream(30), 15, 25);
    await capture.settle();
  });

  it('is reported as missing where it was overwritten before it could be read', async () => {
    const run = await startRun();
    const capture = run.begin(20);
    const all = stream(95);
    capture.take(all.subarray(0, 15));
    const pieces = run.read()[Symbol.asyncIterator]();
    expect((await pieces.next()).value).toMatchObject({ offset: 0 });
    capture.take(all.subarray(15));
    expect((await pieces.next()).value).toEqual({ offset: 15, missing: 70 });
    expect((await run.look()).segments).toEqual([
      { offset: 0, length: 10, position: 0 },
      { offset: 85, length: 5, position: 15 },
      { offset: 90, length: 5, position: 10 },
    ]);
    const rest = collect({ [Symbol.asyncIterator]: () => pieces });
    run.end(await capture.settle());
    check(await rest, all, 85);
    check(await collect(run.read(10, 80)), all, 10, 80);
  });

  it('is missing completely for a reader that requests only overwritten bytes', async () => {
    const run = await startRun();
    const capture = run.begin(20);
    capture.take(stream(95));
    expect(await collect(run.read(12, 80))).toEqual([{ offset: 12, missing: 68 }]);
    await capture.settle();
  });

  it('waits while the log is reordered, and for the end of the run if the ring state is invalid', async () => {
    for (const file of [
      encodeRingState({ phase: 'ordering', headBytes: 10, tailBytes: 10, done: 95, until: 95 }),
      Buffer.from('torn'),
      encodeRingState({ phase: 'ring', headBytes: 10, tailBytes: 10, done: 95, until: 9500 }),
    ]) {
      const run = await startRun();
      const capture = run.begin(20);
      capture.take(stream(95));
      writeFileSync(ringFileOf(run.log), file);
      const reading = collect(run.read());
      for (let round = 0; round < 100; round++) await turn();
      run.end(await capture.settle());
      expect(check(await reading, stream(95))).toEqual({ missing: 75 });
    }
  });

  it('is exact for every reader, at any speed of the script and the readers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 5000 }),
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 900 }), ticks: fc.nat(8) }), { maxLength: 60 }),
        fc.array(fc.record({ from: fc.nat(3000), ticks: fc.nat(12) }), { minLength: 1, maxLength: 4 }),
        async (limit, chunks, readers) => {
          const run = await startRun();
          const capture = run.begin(limit);
          const all = stream(chunks.reduce((sum, { size }) => sum + size, 0));
          const readings = readers.map(({ from, ticks }) => collect(run.read(from), () => ticks));
          let at = 0;
          for (const { size, ticks } of chunks) {
            capture.take(all.subarray(at, at + size));
            at += size;
            for (let left = ticks; left > 0; left--) await turn();
          }
          const counts = await capture.settle();
          // The end is known some time after the log is reordered.
          for (let left = chunks.length % 5; left > 0; left--) await turn();
          run.end(counts);
          for (const [index, reading] of readings.entries()) {
            const from = readers[index]?.from ?? 0;
            const { missing } = check(await reading, all, from);
            if (all.length <= limit) expect(missing).toBe(0);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is exact while another thread writes at full speed', async () => {
    const run = await startRun();
    await run.begin(2).settle();
    rmSync(run.log);
    const [chunk, chunks] = [6000, 20_000];
    const writer = new Worker(captureEntry, {
      workerData: { log: run.log, limit: 400_000, chunk, chunks },
      execArgv: [],
    });
    const written = once(writer, 'message');
    const readings = Array.from({ length: 4 }, async () => {
      let [at, missing, wrong] = [0, 0, 0];
      for await (const piece of run.read()) {
        if (piece.offset !== at) wrong++;
        if ('missing' in piece) missing += piece.missing;
        else wrong += countWrong(piece.offset, piece.bytes);
        at += 'missing' in piece ? piece.missing : piece.bytes.length;
      }
      return { at, wrong, hasSeen: at - missing > 200_000 };
    });
    const [counts] = await written;
    run.end(counts);
    for (const reading of readings)
      expect(await reading).toEqual({ at: chunk * chunks, wrong: 0, hasSeen: true });
  });
});

/** Every eight bytes of the stream contain their own offset. */
function countWrong(offset: number, bytes: Uint8Array): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let wrong = 0;
  for (let at = (8 - (offset % 8)) % 8; at + 8 <= view.length; at += 8)
    if (view.readDoubleLE(at) !== offset + at) wrong++;
  return wrong;
}
