import { type IncomingMessage, request } from 'node:http';

export type HttpAnswer = IncomingMessage;

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is if it is bytes. */
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and resolves when the response begins. Loading fetch takes longer than the rest of a short command. */
export function sendRequest(url: string, call: Call): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, signal } = call;
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = { method, headers: { ...json, ...headers }, ...(signal !== undefined && { signal }) };
  return new Promise((resolve, reject) => {
    // After the response has begun, the body stream reports errors to its reader.
    request(url, options, resolve)
      .on('error', reject)
      .end(body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body));
  });
}

export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
