import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

import { errnoOf } from '../../shared/errors.ts';
import { retryAfterMs } from '../../shared/retry-after.ts';

/** A request without an answer fails after this time. */
export const answerWithinMs = 10_000;
/** Nothing of the body is used. A short one is read, so that the server can finish its answer. */
const mostReadBytes = 16 * 1024;
const readWithinMs = 1000;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type PostResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterMs: number | null;
      /** Target of a redirect: scheme, host and port only. Null if it is on the same host. */
      readonly redirectOrigin: string | null;
    }
  /** `reason`: the code of the error, or `timeout`. Messages of errors may quote the address, codes cannot. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Posts a message, once. Never rejects. A redirect is not followed: it would send the message to another place than the user chose. */
export function post(
  url: URL,
  { headers, body }: Message,
  signal: AbortSignal,
  withinMs = answerWithinMs,
): Promise<PostResult> {
  const bytes = Buffer.from(body);
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve) => {
    let sent: ClientRequest;
    try {
      // Without an agent: an idle connection would be kept for a notification that may come in days.
      sent = send(url, {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-length': String(bytes.length), connection: 'close' },
        signal,
      });
    } catch (error) {
      // For example a password with a wrong percent escape.
      resolve({ kind: 'unanswered', reason: errnoOf(error) ?? 'invalid address' });
      return;
    }
    const timer = setTimeout(() => {
      resolve({ kind: 'unanswered', reason: 'timeout' });
      sent.destroy();
    }, withinMs);
    sent.on('error', (error) => resolve({ kind: 'unanswered', reason: errnoOf(error) ?? 'unknown' }));
    sent.once('response', (response) => {
      resolve({
        kind: 'answered',
        status: response.statusCode ?? 0,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
        redirectOrigin: redirectOrigin(response, url),
      });
      clearTimeout(timer);
      discard(response);
    });
    // Node emits only `close` for some answers, such as 101 Switching Protocols.
    sent.once('close', () => {
      clearTimeout(timer);
      resolve({ kind: 'unanswered', reason: 'no-http' });
    });
    sent.end(bytes);
  });
}

function redirectOrigin({ headers }: IncomingMessage, from: URL): string | null {
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, from.href)) return null;
  const { origin } = new URL(location, from);
  return origin === from.origin || origin === 'null' ? null : origin;
}

function discard(response: IncomingMessage): void {
  let readBytes = 0;
  const timer = setTimeout(() => response.destroy(), readWithinMs);
  response.on('error', () => {});
  response.once('close', () => clearTimeout(timer));
  response.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
    if (readBytes > mostReadBytes) response.destroy();
  });
}
