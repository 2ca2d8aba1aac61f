import { readSync } from 'node:fs';
import { Socket } from 'node:net';

import { errnoOf } from '../shared/errors.ts';
import type { Capture } from './capture.ts';

const chunkBytes = 64 * 1024;

/** The reading end of one of a script's streams. */
export interface PipeReader {
  /** Takes what is in the pipe at this moment, without waiting for whoever else may hold its other end. */
  drain(): void;
  /** Resolves when the last writer has let go of the stream. */
  readonly closed: Promise<void>;
}

/** Reads a named pipe. `onread` hands over each chunk at once: nothing waits in a stream's own buffer when we drain. */
export function readFifo(fd: number, capture: Capture): PipeReader {
  let open = true;
  const onread = {
    buffer: Buffer.allocUnsafe(chunkBytes),
    callback: (bytes: number, buffer: Uint8Array) => {
      capture.take(buffer.subarray(0, bytes));
      return true;
    },
  };
  // The constructor takes `onread` as `connect` does, though its type does not say so.
  const options = { fd, readable: true, writable: false, onread };
  const socket = new Socket(options);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      open = false;
      resolve();
    });
  });
  socket.on('error', () => socket.destroy());
  socket.resume();

  return {
    closed,
    drain() {
      const buffer = Buffer.allocUnsafe(chunkBytes);
      while (open) {
        try {
          const bytes = readSync(fd, buffer);
          if (bytes === 0) return;
          capture.take(buffer.subarray(0, bytes));
        } catch (error) {
          // EAGAIN: the pipe is empty. EBADF: the stream was at its end and has let go of the handle.
          if (errnoOf(error) === 'EAGAIN' || errnoOf(error) === 'EBADF') return;
          throw error;
        }
      }
    },
  };
}

/** Reads one of Node's own pipes, on Windows, where there are no named ones that a child could inherit. */
export function readStream(stream: NodeJS.ReadableStream, capture: Capture): PipeReader {
  stream.on('data', (chunk: Buffer) => capture.take(chunk));
  stream.on('error', () => {});
  return {
    closed: new Promise((resolve) => {
      stream.once('close', resolve);
    }),
    drain() {
      for (let chunk = stream.read(); chunk instanceof Uint8Array; chunk = stream.read()) capture.take(chunk);
    },
  };
}
