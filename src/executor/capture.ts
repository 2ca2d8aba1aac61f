import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

import type { StreamCapture } from '../execution/messages.ts';

const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Keeps one output stream of a run in a file of bounded size: the first half of the limit as it came, and the last half in
 * a ring behind it, put in order at the end. The bytes are counted exactly, kept or not. Writing is synchronous: this
 * process has nothing better to do, and a script that writes faster than the disk should feel it.
 */
export class Capture {
  readonly #fd: number;
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #total = 0;
  #stored = 0;
  #failed = false;
  #settled = false;

  /** Creates the file; throws when there is no room for it, or something in its place. */
  constructor(path: string, limitBytes: number) {
    this.#fd = openSync(path, createFlags, 0o600);
    this.#headLimit = Math.ceil(limitBytes / 2);
    this.#tailLimit = Math.max(1, Math.floor(limitBytes / 2));
  }

  take(bytes: Uint8Array): void {
    // What a survivor writes after the end of its run belongs to no run any more.
    if (this.#settled) return;
    this.#total += bytes.length;
    if (this.#failed) return;
    try {
      this.#store(this.#fd, bytes);
    } catch {
      // The disk is full: what cannot be kept is counted as lost, and the script goes on.
      this.#failed = true;
    }
  }

  /** The run has ended: the file can be read from front to back now. Never throws. */
  settle(): StreamCapture {
    this.#settled = true;
    const isWhole = this.#stored <= this.#headLimit + this.#tailLimit;
    const hasTail = !isWhole && this.#straightenRing();
    try {
      closeSync(this.#fd);
    } catch {
      // What the disk did not take is counted as lost by whoever reads the file.
    }
    return {
      bytes: this.#total,
      headBytes: isWhole ? this.#stored : this.#headLimit,
      tailBytes: hasTail ? this.#tailLimit : 0,
    };
  }

  #store(fd: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const intoTail = this.#stored - this.#headLimit;
      const room = intoTail < 0 ? -intoTail : this.#tailLimit - (intoTail % this.#tailLimit);
      const position = intoTail < 0 ? this.#stored : this.#headLimit + (intoTail % this.#tailLimit);
      const stored = writeSync(fd, bytes, done, Math.min(room, bytes.length - done), position);
      this.#stored += stored;
      done += stored;
    }
  }

  /** Whether the end of the output could be put in order: the script may have tampered with the file, the disk be full. */
  #straightenRing(): boolean {
    const start = (this.#stored - this.#headLimit) % this.#tailLimit;
    if (start === 0) return true;
    try {
      const ring = Buffer.allocUnsafe(this.#tailLimit);
      readFully(this.#fd, ring, this.#headLimit);
      writeFully(this.#fd, ring.subarray(start), this.#headLimit);
      writeFully(this.#fd, ring.subarray(0, start), this.#headLimit + this.#tailLimit - start);
      return true;
    } catch {
      return false;
    }
  }
}

function readFully(fd: number, buffer: Buffer, position: number): void {
  for (let done = 0; done < buffer.length; ) {
    const bytes = readSync(fd, buffer, done, buffer.length - done, position + done);
    if (bytes === 0) throw new Error('the file is shorter than what was written to it');
    done += bytes;
  }
}

function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}
