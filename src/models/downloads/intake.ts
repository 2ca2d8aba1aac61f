import type { FileHandle } from 'node:fs/promises';

import type { Sink } from '../hubs/body-tap.ts';
import type { Batches } from './batches.ts';
import type { RunningHash } from './hashing/running-hash.ts';

interface IntakeOptions {
  readonly handle: FileHandle;
  /** Where in the file the first byte belongs. */
  readonly at: number;
  readonly batches: Batches;
  readonly hash: RunningHash;
  /** Called for each piece that has come. */
  readonly onBytes: (bytes: number) => void;
  /** There is no use in more: what came could not be written, or not be hashed. */
  readonly onFault: () => void;
}

/** While some are written and hashed the next are filled: the network, the disk and the processor need not take turns. */
const mostBatches = 16;
/** So often what was written is sent on to the disk meanwhile: at the end of a large file there is not all of it left to wait for. */
const syncBytes = 64 * 1024 * 1024;

/**
 * Takes the bytes of a file into a few batches of memory, which are written and hashed at the same time and then used again: memory stays
 * flat, however large the file. Each batch is written only when the one before is: after a crash there is a beginning of the file, never
 * one with a hole in it.
 */
export class Intake implements Sink {
  readonly #options: IntakeOptions;
  #batch: Uint8Array;
  #filled = 0;
  #at: number;
  #underWay = 0;
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

  room(): Uint8Array {
    return this.#batch.subarray(this.#filled);
  }

  filled(bytes: number): boolean {
    this.#filled += bytes;
    this.#options.onBytes(bytes);
    if (this.#filled === this.#batch.length) this.#flush();
    return this.#hasRoom;
  }

  whenRoom(): Promise<void> {
    return this.#hasRoom ? Promise.resolve() : new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** Settled when nothing is under way any longer; rejected when something could not be written or hashed. To be called once, at the end. */
  async end(): Promise<void> {
    if (this.#filled > 0) this.#flush();
    this.#options.batches.giveBack(this.#batch);
    await this.#settled;
    if (this.#fault !== null) throw this.#fault.error;
  }

  get #hasRoom(): boolean {
    return this.#underWay < mostBatches - 1 && this.#fault === null;
  }

  #flush(): void {
    const { handle, hash, batches } = this.#options;
    const batch = this.#batch;
    const bytes = batch.subarray(0, this.#filled);
    const at = this.#at;
    this.#at += bytes.length;
    this.#batch = batches.take();
    this.#filled = 0;
    this.#underWay++;
    this.#written = this.#written
      .then(() => writeAll(handle, bytes, at))
      .then(() => this.#sync(bytes.length));
    const both = Promise.allSettled([this.#written, hash.update(bytes)]);
    this.#settled = Promise.all([this.#settled, both]).then(([, results]) => {
      this.#underWay--;
      batches.giveBack(batch);
      for (const result of results) if (result.status === 'rejected') this.#fail(result.reason);
      this.#tellRoom();
    });
  }

  #fail(error: unknown): void {
    if (this.#fault !== null) return;
    this.#fault = { error };
    this.#options.onFault();
  }

  #tellRoom(): void {
    if (!this.#hasRoom) return;
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiting) resolve();
  }

  #sync(bytes: number): void {
    this.#unsyncedBytes += bytes;
    if (this.#isSyncing || this.#unsyncedBytes < syncBytes) return;
    this.#unsyncedBytes = 0;
    this.#isSyncing = true;
    // Whoever needs to be sure syncs the whole file in the end, and is told then what went wrong.
    const done = () => {
      this.#isSyncing = false;
    };
    this.#options.handle.datasync().then(done, done);
  }
}

/** A disk that is nearly full takes a part; the rest tells why. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, start + at);
    if (bytesWritten === 0) throw new Error('the disk took nothing, and did not say why');
    at += bytesWritten;
  }
}
