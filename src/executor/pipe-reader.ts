import { readSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import type { Capture } from './capture.ts';
import type { OutputPipe } from './fifo-pool.ts';

/** One for all pipes: what is read into it is taken out again before anybody else reads. */
const chunk = Buffer.allocUnsafe(64 * 1024);
/** What a pipe can hold at most: all that was written before the end is in the first so many bytes. */
const largestPipeBytes = 1024 * 1024;
/** How long Node's own pipes may take to hand over what was written before the end. */
const streamSettleMs = 250;

/** The reading end of one of a script's streams. */
export interface PipeReader {
  /** Reads as it comes, from now on. One that does not need to be told does so from the beginning. */
  attend?(): void;
  /** Takes what is in the pipe at this moment, without waiting for whoever else may hold its other end. */
  drain(): Promise<void>;
  /** Resolves when the last writer has let go of the stream. */
  readonly closed: Promise<void>;
}

/** Reads a named pipe. `onread` hands over each chunk at once: nothing waits in a stream's own buffer when we drain. */
export function readFifo(fd: number, capture: Capture): PipeReader {
  const onread = {
    buffer: chunk,
    callback: (bytes: number, buffer: Uint8Array) => {
      capture.take(buffer.subarray(0, bytes));
      return true;
    },
  };
  // The constructor takes `onread` as `connect` does, though its type does not say so.
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
      // A destroyed socket has closed its handle, whose number may by now be that of somebody else's file.
      if (!socket.destroyed) readNow(fd, capture);
    },
  };
}

/** Takes out what is in it. It has ended if nobody has it open for writing any more. */
function readNow(fd: number, capture: Capture): 'ended' | 'open' {
  for (let taken = 0; taken < largestPipeBytes; ) {
    try {
      const bytes = readSync(fd, chunk);
      if (bytes === 0) return 'ended';
      capture.take(chunk.subarray(0, bytes));
      taken += bytes;
    } catch {
      // EAGAIN: the pipe is empty. With anything else there is nothing left to be had, either.
      return 'open';
    }
  }
  return 'open';
}

/**
 * Reads a pipe that can perhaps be used again. Most scripts write little and end soon: what they wrote is still in the pipe then, and
 * taking it out at the end is much cheaper than to wait for it. It is given back if it is read to its end by then, with nobody
 * left to write to it; otherwise it is given up, and the handle is closed when the last writer is gone.
 */
export function readOutput({ readFd: fd, giveBack, giveUp }: OutputPipe, capture: Capture): PipeReader {
  let attended: PipeReader | undefined;
  let hasEnded = false;
  let close = (_closed: Promise<void> | undefined): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const attend = (): PipeReader | undefined => {
    if (hasEnded || attended !== undefined) return attended;
    giveUp();
    attended = readFifo(fd, capture);
    close(attended.closed);
    return attended;
  };
  return {
    closed,
    attend: () => void attend(),
    async drain() {
      if (attended === undefined && readNow(fd, capture) === 'ended') {
        hasEnded = true;
        giveBack();
        close(undefined);
      }
      await attend()?.drain();
    },
  };
}

/** Reads one of Node's own pipes, on Windows, where there are no named ones that a child could inherit. */
export function readStream(stream: NodeJS.ReadableStream, capture: Capture): PipeReader {
  stream.on('data', (chunk: Buffer) => capture.take(chunk));
  stream.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  return {
    closed,
    async drain() {
      // There is no asking whether such a pipe is empty; most are closed at once, and a survivor must not keep us waiting.
      await Promise.race([closed, wait(streamSettleMs, undefined, { ref: false })]);
    },
  };
}
