import { closeSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import type { Capture } from './capture.ts';

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
