import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

import type { Answer, Sent } from '../client/connection.ts';

/** A response, and its body as a stream of Node. */
export interface NodeAnswer extends Answer {
  readonly incoming: IncomingMessage;
}

/** Sends a request and resolves when the response begins. Loading the global `fetch` takes longer than the rest of a short command. */
export function nodeFetch(url: string, { method, headers, body, signal }: Sent): Promise<NodeAnswer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let received: IncomingMessage | null = null;
    const outgoing = request(url, { method, headers }, (incoming) => {
      received = incoming;
      resolve(answerOf(url, incoming, signal));
    });
    const stop = () => {
      // The connection may be idle again and has no listener for an error, so only a pending request gets the reason.
      if (received === null) outgoing.destroy(signal?.reason);
      else received.destroy();
    };
    signal?.addEventListener('abort', stop, { once: true });
    outgoing
      // After the response has begun, the body stream reports errors to its reader.
      .on('error', reject)
      .on('close', () => {
        signal?.removeEventListener('abort', stop);
        // Has an effect only if no response came, for example because the status was 101.
        reject(new Error('closed without a response'));
      })
      .end(body);
  });
}

function answerOf(url: string, incoming: IncomingMessage, signal: AbortSignal | undefined): NodeAnswer {
  const { statusCode: status = 0, headers } = incoming;
  return {
    incoming,
    ok: status >= 200 && status <= 299,
    status,
    url,
    headers: { get: (name) => headers[name]?.toString() },
    body: {
      getReader() {
        const pieces: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
        return { read: () => pieces.next() };
      },
    },
    text: () =>
      text(incoming).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      }),
  };
}
