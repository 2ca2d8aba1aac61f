import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const mostDroppedBytes = 16 * 1024 * 1024;
const longestMs = 5000;

/**
 * Ends an answer that refuses a request. If the connection were closed while the caller still sends, the caller would see a
 * connection error instead of the answer. So the rest of the body is read and discarded first, within limits.
 */
export function endBehindBody(request: IncomingMessage, response: ServerResponse): void {
  // The caller sent Expect: 100-continue and waits, so it will not send its body now.
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

/** Reads and discards everything that still arrives on a connection, within limits, for the same reason. */
export function dropRest(socket: Duplex): void {
  let dropped = 0;
  socket.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > mostDroppedBytes) socket.destroy();
  });
}

/** Ends a connection, and destroys it after a timeout if the client keeps its side open. */
export function endConnection(socket: Duplex, lastText = ''): void {
  socket.end(lastText);
  const limit = setTimeout(() => socket.destroy(), longestMs);
  socket.once('close', () => clearTimeout(limit));
}
