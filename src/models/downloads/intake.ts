import type { FileHandle } from 'node:fs/promises';

import type { Batches, RunningHash } from './hashing/hashing.ts';

interface IntakeOptions {
  readonly handle: FileHandle;
  /** Offset in the file of the first byte. */
  readonly at: number;
  readonly batches: Batches;
  readonly hash: RunningHash;
  /** Called for each chunk that was accepted. */
  readonly onBytes: (bytes: number) => void;
  /** Called once, when bytes could not be written or hashed. Further chunks are pointless then. */
  readonly onFault: () => void;
}

/** Several batches, so that receiving, writing and hashing run at the same time. */
const mostBatches = 16;
/** Sync the file each time this much was written, so that the sync at the end of a large file is short. */
const syncBytes = 64 * 1024 * 1024;

/**
 * Collects the bytes of a file in a few batches. Each full batch is written and hashed at the same time, then reused, so that memory
 * use does not depend on the size of the file. Batches are written in order: after a crash the file has no holes.
 */
export class Intake {
  readonly #options: IntakeOptions;
  #batch: Uint8Array;
  #filled = 0;
  #at: number;
  #pendingBatches = 0;
  #unsyncedBytes = 0;
  #isSyncing = false;
  #written: Promise<void> = Promise.resolve();
  #settled: Promise<unknown> = Promise.resolve();
  #fault: { readonly error: unknown } | null = null;
  #onRoom: (() => void)[] = [];

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#at = options.at;
    this.#batch = options.batches.take();
  }

  /** Copies a chunk. Returns false if the caller should wait for `whenRoom` before it adds the next one. */
  add(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + this.#batch.length - this.#filled);
      this.#batch.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled === this.#batch.length) this.#flush();
    }
    this.#options.onBytes(chunk.length);
    return this.#hasRoom;
  }

  /** Resolves when the next chunk can be added, and also when writing or hashing has failed. */
  async whenRoom(): Promise<void> {
    if (this.#hasRoom || this.#fault !== null) return;
    await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  /** Writes and hashes the rest. Rejects if any bytes could not be written or hashed. Call it once, at the end. */
  async end(): Promise<void> {
    if (this.#filled > 0) this.#flush();
    this.#options.batches.giveBack(this.#batch);
    await this.#settled;
    if (this.#fault !== null) throw this.#fault.error;
  }

  get #hasRoom(): boolean {
    return this.#pendingBatches < mostBatches - 1 && this.#fault === null;
  }

  #flush(): void {
    const { handle, hash, batches } = this.#options;
    const batch = this.#batch;
    const bytes = batch.subarray(0, this.#filled);
    const at = this.#at;
    this.#at += bytes.length;
    this.#batch = batches.take();
    this.#filled = 0;
    this.#pendingBatches++;
    this.#written = this.#written
      .then(() => writeAll(handle, bytes, at))
      .then(() => this.#sync(bytes.length));
    const both = Promise.allSettled([this.#written, hash.update(bytes)]);
    this.#settled = Promise.all([this.#settled, both]).then(([, results]) => {
      this.#pendingBatches--;
      batches.giveBack(batch);
      for (const result of results) if (result.status === 'rejected') this.#fail(result.reason);
      this.#notifyRoom();
    });
  }

  #fail(error: unknown): void {
    if (this.#fault !== null) return;
    this.#fault = { error };
    this.#options.onFault();
  }

  #notifyRoom(): void {
    if (!this.#hasRoom && this.#fault === null) return;
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiting) resolve();
  }

  #sync(bytes: number): void {
    this.#unsyncedBytes += bytes;
    if (this.#isSyncing || this.#unsyncedBytes < syncBytes) return;
    this.#unsyncedBytes = 0;
    this.#isSyncing = true;
    // The sync of the whole file at the end reports errors.
    const done = () => {
      this.#isSyncing = false;
    };
    this.#options.handle.datasync().then(done, done);
  }
}

/** A nearly full disk may accept only a part of the bytes. Writing the rest then fails with the reason. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, start + at);
    if (bytesWritten === 0) throw new Error('the disk accepted no bytes and reported no error');
    at += bytesWritten;
  }
}
