import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Batches, batchBytes, type RunningHash } from './hashing/hashing.ts';
import { Intake } from './intake.ts';

let folder: string;
let handle: FileHandle;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hob-intake-'));
  handle = await open(join(folder, 'file'), 'w+');
});

afterEach(async () => {
  await handle.close();
  await rm(folder, { recursive: true, force: true });
});

/** Counts the batches that are in use. */
class CountedBatches extends Batches {
  readonly all = new Set<Uint8Array>();
  out = 0;

  override take(): Uint8Array {
    const batch = super.take();
    this.all.add(batch);
    this.out++;
    return batch;
  }

  override giveBack(batch: Uint8Array): void {
    this.out--;
    super.giveBack(batch);
  }
}

function begin({ hash = hashOf(async () => {}), into = handle, batches = new CountedBatches() } = {}) {
  const seen = { faults: 0, bytes: 0 };
  const intake = new Intake({
    handle: into,
    at: 0,
    batches,
    hash,
    onBytes: (bytes) => {
      seen.bytes += bytes;
    },
    onFault: () => {
      seen.faults++;
    },
  });
  return { intake, batches, seen };
}

const hashOf = (update: RunningHash['update']): RunningHash => ({ update, isRight: async () => true });

const fullBatch = Buffer.alloc(batchBytes, 1);

/** Adds chunks of odd sizes, each with its own bytes. Some of them cross the end of a batch. */
async function fill(intake: Intake, chunks: number): Promise<Buffer> {
  const all: Buffer[] = [];
  for (let index = 0; index < chunks; index++) {
    const chunk = Buffer.alloc(60_000 + index, index % 251);
    all.push(chunk);
    if (!intake.add(chunk)) await intake.whenRoom();
  }
  return Buffer.concat(all);
}

describe('an intake', () => {
  it('writes and hashes chunks in order', async () => {
    const hashed: Buffer[] = [];
    const hash = hashOf(async (bytes) => {
      hashed.push(Buffer.from(bytes));
    });
    const { intake, seen } = begin({ hash });
    const given = await fill(intake, 200);
    await intake.end();
    expect(given.equals(await readFile(join(folder, 'file')))).toBe(true);
    expect(given.equals(Buffer.concat(hashed))).toBe(true);
    expect(seen).toEqual({ faults: 0, bytes: given.length });
  });

  it('splits a chunk that is larger than a batch', async () => {
    const { intake, seen } = begin();
    const chunk = Buffer.from(Array.from({ length: 3 * batchBytes + 5 }, (_, index) => index % 251));
    intake.add(chunk);
    await intake.end();
    expect(chunk.equals(await readFile(join(folder, 'file')))).toBe(true);
    expect(seen.bytes).toBe(chunk.length);
  });

  it('asks the caller to wait when too many batches are unfinished', async () => {
    const waiting: (() => void)[] = [];
    const hash = hashOf(() => new Promise((resolve) => waiting.push(resolve)));
    const { intake, batches } = begin({ hash });
    let taken = 0;
    do taken++;
    while (intake.add(fullBatch) && taken < 100);
    expect(taken * batchBytes).toBe(15 * batchBytes);
    expect(batches.all.size).toBe(16);
    const room = intake.whenRoom();
    for (const resolve of waiting) resolve();
    await room;
    await intake.end();
    expect((await handle.stat()).size).toBe(taken * batchBytes);
  });

  it('reuses the memory of earlier files', async () => {
    const batches = new CountedBatches();
    for (let file = 0; file < 20; file++) {
      const { intake } = begin({ batches });
      await fill(intake, 100);
      await intake.end();
    }
    expect(batches.all.size).toBeLessThanOrEqual(16);
    expect(batches.out).toBe(0);
  });

  it('reports a failed write once, and returns all its memory', async () => {
    await handle.close();
    handle = await open(join(folder, 'file'), 'r');
    const { intake, batches, seen } = begin();
    intake.add(fullBatch);
    intake.add(fullBatch);
    await expect(intake.end()).rejects.toThrow('EBADF');
    expect(seen.faults).toBe(1);
    expect(batches.out).toBe(0);
  });

  it('does not make the caller wait for room after a failed write', async () => {
    await handle.close();
    handle = await open(join(folder, 'file'), 'r');
    const { intake } = begin();
    while (intake.add(fullBatch));
    await intake.whenRoom();
    expect(intake.add(fullBatch)).toBe(false);
    await intake.whenRoom();
    await expect(intake.end()).rejects.toThrow('EBADF');
  });

  it('has written everything when it reports a failed hash', async () => {
    const hash = hashOf(() => Promise.reject(new Error('the thread has died')));
    const { intake, batches } = begin({ hash });
    for (let batch = 0; batch < 5; batch++) intake.add(fullBatch);
    await expect(intake.end()).rejects.toThrow('the thread has died');
    expect((await handle.stat()).size).toBe(5 * batchBytes);
    expect(batches.out).toBe(0);
  });
});
