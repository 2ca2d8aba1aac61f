import { isUtf8 } from 'node:buffer';
import { closeSync, constants, openSync, writeSync } from 'node:fs';

import type { StreamCapture } from '../execution/messages.ts';
import { type RingState, ringFileOf } from '../execution/ring-state.ts';
import { rotateFile } from '../shared/rotate-file.ts';
import { RingFile } from './ring-file.ts';

const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const smallestStrideBytes = 4096;
/** Most outputs are no longer, and then they are told with the end. */
const shortBytes = 1024;

/**
 * Keeps one output stream of a run in a file of bounded size: the first half of the limit as it came, and the last half in
 * a ring behind it, put in order at the end. The bytes are counted exactly, kept or not. Once the ring is written over, a
 * second file tells others how it stands. Writing is synchronous: this process has nothing better to do, and a script that
 * writes faster than the disk should feel it.
 */
export class Capture {
  readonly #path: string;
  /** Null until it is opened. */
  #fd: number | null = null;
  /** Null until something in the log is to be written over; most outputs never get there. */
  #ring: RingFile | null = null;
  readonly #headLimit: number;
  readonly #tailLimit: number;
  /** How much is written over at once: whoever kills this process in the middle of it takes no more of the end than that. */
  readonly #strideLimit: number;
  #total = 0;
  #stored = 0;
  /** All that was written, while that is short. */
  #short: Buffer | null = Buffer.alloc(0);
  #failed = false;
  #settled = false;

  constructor(path: string, limitBytes: number) {
    this.#path = path;
    this.#headLimit = Math.ceil(limitBytes / 2);
    this.#tailLimit = Math.max(1, Math.floor(limitBytes / 2));
    this.#strideLimit = Math.max(smallestStrideBytes, Math.floor(this.#tailLimit / 8));
  }

  /** Creates the file, if it is not there yet; throws when there is no room for it, or something in its place. */
  open(): number {
    this.#fd ??= openSync(this.#path, createFlags, 0o600);
    return this.#fd;
  }

  /** The same, if it can be done now: the first that is to be kept tries again. */
  prepare(): void {
    try {
      this.open();
    } catch {
      // There may be room by then.
    }
  }

  take(bytes: Uint8Array): void {
    // What a survivor writes after the end of its run belongs to no run any more.
    if (this.#settled) return;
    this.#total += bytes.length;
    this.#short =
      this.#total > shortBytes || this.#short === null ? null : Buffer.concat([this.#short, bytes]);
    if (this.#failed) return;
    try {
      this.#store(this.open(), bytes);
    } catch {
      // The disk is full: what cannot be kept is counted as lost, and the script goes on. The same holds for a ring of which
      // nobody could be told how it stands: what is kept must be what it seems to be.
      this.#failed = true;
    }
  }

  /** Call it when the run has ended. When it resolves, the file can be read from front to back. Never rejects. */
  async settle(): Promise<StreamCapture> {
    this.#settled = true;
    const isWhole = this.#stored <= this.#headLimit + this.#tailLimit;
    const headBytes = isWhole ? this.#stored : this.#headLimit;
    const tailBytes = isWhole ? 0 : await this.#settleRing();
    try {
      if (this.#fd !== null) closeSync(this.#fd);
    } catch {
      // What the disk did not take is counted as lost by whoever reads the file.
    }
    const isTold = this.#short !== null && this.#total > 0 && isUtf8(this.#short);
    return { bytes: this.#total, headBytes, tailBytes, ...(isTold && { text: String(this.#short) }) };
  }

  #store(fd: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const intoTail = this.#stored - this.#headLimit;
      const room = intoTail < 0 ? -intoTail : this.#tailLimit - (intoTail % this.#tailLimit);
      const position = intoTail < 0 ? this.#stored : this.#headLimit + (intoTail % this.#tailLimit);
      const overwrites = intoTail >= this.#tailLimit;
      const length = Math.min(room, bytes.length - done, overwrites ? this.#strideLimit : Infinity);
      if (overwrites) this.#tell(this.#stored + length);
      const stored = writeSync(fd, bytes, done, length, position);
      this.#stored += stored;
      done += stored;
      if (overwrites) this.#tell(this.#stored);
    }
  }

  /** Before anything is written over it is told what will be, and afterwards that it is there. */
  #tell(until: number): void {
    const state = this.#state('ring', until);
    if (this.#ring === null) this.#ring = new RingFile(ringFileOf(this.#path), state);
    else this.#ring.write(state);
  }

  #state(phase: RingState['phase'], until: number): RingState {
    return { phase, headBytes: this.#headLimit, tailBytes: this.#tailLimit, done: this.#stored, until };
  }

  /** Puts the ring in order. Returns how many of the last bytes of the output now follow the first half. */
  async #settleRing(): Promise<number> {
    const ring = this.#ring;
    if (ring === null) return 0;
    let tailBytes = 0;
    try {
      ring.write(this.#state('ordering', this.#stored));
      // After a disk failure the ring does not contain the end of the output.
      if (!this.#failed && (await this.#straightenRing())) tailBytes = this.#tailLimit;
      ring.write({ ...this.#state('ordered', this.#total), tailBytes, done: this.#total });
    } catch {
      // Nobody takes a ring for ordered that is not said to be; the end of the run says what there is.
    }
    ring.close();
    return tailBytes;
  }

  /** Returns whether the ring is in order. It fails if the script tampered with the file, or if the disk fails. */
  async #straightenRing(): Promise<boolean> {
    const oldest = (this.#stored - this.#headLimit) % this.#tailLimit;
    try {
      await rotateFile(this.open(), { start: this.#headLimit, length: this.#tailLimit, by: oldest });
      return true;
    } catch {
      return false;
    }
  }
}
