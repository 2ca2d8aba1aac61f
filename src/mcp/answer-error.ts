import type { ServerResponse } from 'node:http';

/** Answers a request that the protocol library does not see. */
export function answerError(
  response: ServerResponse,
  status: number,
  error: { readonly code: number; readonly message: string },
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error, id: null });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
