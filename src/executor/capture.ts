import { isUtf8 } from 'node:buffer';
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import type { StreamCapture } from '../execution/messages.ts';
import { encodeRingState, type RingState, ringFileOf } from '../execution/ring-state.ts';
import { rotateFile } from '../shared/rotate-file.ts';

const stateFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** The file that describes the state of a ring to readers. */
class RingFile {
  readonly #fd: number;

  /** Throws if the disk is full or the path is in use. After a failed write, the file is removed. */
  constructor(path: string, state: RingState) {
    this.#fd = openSync(path, stateFlags, 0o600);
    try {
      this.write(state);
    } catch (error) {
      this.close();
      rmSync(path, { force: true });
      throw error;
    }
  }

  write(state: RingState): void {
    const bytes = encodeRingState(state);
    if (writeSync(this.#fd, bytes, 0, bytes.length, 0) !== bytes.length) throw new Error('written in part');
  }

  close(): void {
    try {
      closeSync(this.#fd);
    } catch {
      // The last state may not have reached the disk; readers verify its checksum.
    }
  }
}

const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const smallestStrideBytes = 4096;
/** Most outputs are not longer than this. Their text is sent together with the end of the run. */
const shortBytes = 1024;

/**
 * Keeps one output stream of a run in a file of bounded size. The first half of the limit contains the start of the
 * stream. The second half is a ring that contains its end; the ring is put in order when the run ends. All bytes are
 * counted exactly, kept or not. As soon as ring bytes are overwritten, a second file describes the state of the ring to
 * readers. Writes are synchronous: this process has no other work for the run, and a script that writes faster than the
 * disk is slowed down.
 */
export class Capture {
  readonly #path: string;
  /** Null until the file is opened. */
  #fd: number | null = null;
  /** Null until a byte of the log is overwritten, which is rare. */
  #ring: RingFile | null = null;
  readonly #headLimit: number;
  readonly #tailLimit: number;
  /**
   * How many bytes are overwritten at once. If this process is killed during the write, at most this many bytes of the
   * end are lost.
   */
  readonly #strideLimit: number;
  #total = 0;
  #stored = 0;
  /** The whole output, while it is short. */
  #short: Buffer | null = Buffer.alloc(0);
  #failed = false;
  #settled = false;

  constructor(path: string, limitBytes: number) {
    this.#path = path;
    this.#headLimit = Math.ceil(limitBytes / 2);
    this.#tailLimit = Math.max(1, Math.floor(limitBytes / 2));
    this.#strideLimit = Math.max(smallestStrideBytes, Math.floor(this.#tailLimit / 8));
  }

  /** Creates the file if it does not exist yet. Throws if the disk is full, or if the path is already in use. */
  open(): number {
    this.#fd ??= openSync(this.#path, createFlags, 0o600);
    return this.#fd;
  }

  /** Like `open`, but ignores a failure: the first write tries again. */
  prepare(): void {
    try {
      this.open();
    } catch {
      // The disk may have space when the first output arrives.
    }
  }

  take(bytes: Uint8Array): void {
    // The output that a process writes after the end of its run belongs to no run.
    if (this.#settled) return;
    this.#total += bytes.length;
    this.#short =
      this.#total > shortBytes || this.#short === null ? null : Buffer.concat([this.#short, bytes]);
    if (this.#failed) return;
    try {
      this.#store(this.open(), bytes);
    } catch {
      // The disk is full: bytes that cannot be kept are counted as lost, and the script continues. The same applies if
      // the state of the ring cannot be written: readers must never misinterpret the log.
      this.#failed = true;
    }
  }

  /** Call this when the run has ended. When it resolves, the file can be read from front to back. Never rejects. */
  async settle(): Promise<StreamCapture> {
    this.#settled = true;
    const isWhole = this.#stored <= this.#headLimit + this.#tailLimit;
    const headBytes = isWhole ? this.#stored : this.#headLimit;
    const tailBytes = isWhole ? 0 : await this.#settleRing();
    try {
      if (this.#fd !== null) closeSync(this.#fd);
    } catch {
      // Readers of the file count the bytes that did not reach the disk as lost.
    }
    const hasText = this.#short !== null && this.#total > 0 && isUtf8(this.#short);
    return { bytes: this.#total, headBytes, tailBytes, ...(hasText && { text: String(this.#short) }) };
  }

  #store(fd: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const intoTail = this.#stored - this.#headLimit;
      const room = intoTail < 0 ? -intoTail : this.#tailLimit - (intoTail % this.#tailLimit);
      const position = intoTail < 0 ? this.#stored : this.#headLimit + (intoTail % this.#tailLimit);
      const overwrites = intoTail >= this.#tailLimit;
      const length = Math.min(room, bytes.length - done, overwrites ? this.#strideLimit : Infinity);
      if (overwrites) this.#writeRingState(this.#stored + length);
      const stored = writeSync(fd, bytes, done, length, position);
      this.#stored += stored;
      done += stored;
      if (overwrites) this.#writeRingState(this.#stored);
    }
  }

  /** Called before an overwrite to announce its range, and after it to confirm it. */
  #writeRingState(until: number): void {
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
      // Readers treat a ring as ordered only if its state says so. The end of the run states which bytes are kept.
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

/** One buffer for all pipes: its content is processed before the next read. */
const chunk = Buffer.allocUnsafe(64 * 1024);

/** The maximum capacity of a pipe: all output written before the exit is in the first bytes up to this number. */
const largestPipeBytes = 1024 * 1024;

/** How long Node's own pipes may take to deliver what was written before the exit. */
const streamSettleMs = 250;

/** The reading end of one of a script's streams. */
export interface PipeReader {
  /** From now on, reads output when it arrives. A reader without this method does so from the start. */
  attend?(): void;
  /** Reads the current content of the pipe, without waiting for other processes that may hold its writing end. */
  drain(): Promise<void>;
  /** Resolves when the last writer has closed the stream. */
  readonly closed: Promise<void>;
}

/** Reads a pipe as its output arrives. `onread` delivers each chunk at once: no output is left in a stream buffer when we drain. */
export function readPipe(fd: number, capture: Capture): PipeReader {
  const onread = {
    buffer: chunk,
    callback: (bytes: number, buffer: Uint8Array) => {
      capture.take(buffer.subarray(0, bytes));
      return true;
    },
  };
  // The constructor accepts `onread` like `connect`, although its type does not say so.
  const options = { fd, readable: true, writable: false, onread };
  const socket = new Socket(options);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.on('error', () => socket.destroy());
  socket.resume();

  return {
    closed,
    async drain() {
      // A destroyed socket has closed its handle. The number of the handle may belong to another file now.
      if (!socket.destroyed) readNow(fd, capture);
    },
  };
}

/** Reads the current content. Returns 'ended' if the pipe has no writer any more. */
function readNow(fd: number, capture: Capture): 'ended' | 'open' {
  for (let taken = 0; taken < largestPipeBytes; ) {
    try {
      const bytes = readSync(fd, chunk);
      if (bytes === 0) return 'ended';
      capture.take(chunk.subarray(0, bytes));
      taken += bytes;
    } catch {
      // EAGAIN: the pipe is empty. After any other error there is nothing left to read, either.
      return 'open';
    }
  }
  return 'open';
}

/**
 * Reads the output of a script that may end soon. Most scripts write little: their output is then still in the pipe at
 * their end, and reading it there is much cheaper than waiting for it. The handle is closed when the last writer has
 * ended.
 */
export function readOutput(fd: number, capture: Capture): PipeReader {
  let attachedReader: PipeReader | undefined;
  let hasEnded = false;
  let close = (_closed: Promise<void> | undefined): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const attend = (): PipeReader | undefined => {
    if (hasEnded || attachedReader !== undefined) return attachedReader;
    attachedReader = readPipe(fd, capture);
    close(attachedReader.closed);
    return attachedReader;
  };
  return {
    closed,
    attend: () => void attend(),
    async drain() {
      if (attachedReader === undefined && readNow(fd, capture) === 'ended') {
        hasEnded = true;
        closeSync(fd);
        close(undefined);
      }
      await attend()?.drain();
    },
  };
}

/** Reads one of Node's own pipes. They are used where programs are started through Node. */
export function readStream(stream: NodeJS.ReadableStream, capture: Capture): PipeReader {
  stream.on('data', (chunk: Buffer) => capture.take(chunk));
  stream.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  return {
    closed,
    async drain() {
      // There is no way to ask whether such a pipe is empty. Most are closed at once, and a surviving process must not
      // delay us.
      await Promise.race([closed, wait(streamSettleMs, undefined, { ref: false })]);
    },
  };
}
