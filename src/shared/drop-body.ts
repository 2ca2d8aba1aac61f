import type { Readable } from 'node:stream';

export const mostDroppedBytes = 16 * 1024 * 1024;
export const longestDrainMs = 5000;

/**
 * Reads and discards the rest of a request that was refused, within limits, and then calls `done`. If the connection were closed while
 * the caller still sends, the caller would see a connection error instead of the answer.
 */
export function dropBody(request: Readable, done: () => void): void {
  let dropped = 0;
  let isDone = false;
  const end = () => {
    if (isDone) return;
    isDone = true;
    clearTimeout(limit);
    done();
  };
  const limit = setTimeout(end, longestDrainMs);
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > mostDroppedBytes) end();
  });
  request.once('end', end);
  request.once('close', end);
}
