import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const mostDroppedBytes = 16 * 1024 * 1024;
const longestMs = 5000;

/**
 * Ends a refusal that was written already. Closing the connection of a caller that still sends would make it see a broken
 * connection instead of the answer, so what is left of the body is dropped first, within limits.
 */
export function endBehindBody(request: IncomingMessage, response: ServerResponse): void {
  // Who asked whether to send its body knows now that it need not.
  if (request.headers.expect !== undefined) {
    response.end();
    return;
  }
  let dropped = 0;
  const limit = setTimeout(end, longestMs);
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > mostDroppedBytes) end();
  });
  request.once('end', end);
  request.once('close', end);

  function end(): void {
    clearTimeout(limit);
    response.end();
  }
}

/** Whatever else comes on a connection is read and dropped, within limits, for the same reason. */
export function dropRest(socket: Duplex): void {
  let dropped = 0;
  socket.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > mostDroppedBytes) socket.destroy();
  });
}

/** Ends a connection, and soon takes it away from a client that keeps its own side of it open. */
export function endConnection(socket: Duplex, lastWords = ''): void {
  socket.end(lastWords);
  const limit = setTimeout(() => socket.destroy(), longestMs);
  socket.once('close', () => clearTimeout(limit));
}
