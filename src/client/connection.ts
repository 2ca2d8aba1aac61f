import { type EventFrame, EventFrames } from '../contract/event-frames.ts';
import { HobError } from './errors.ts';

/** Where a service is, and what it requires. */
export interface Address {
  readonly url: string;
  readonly token?: string | undefined;
}

export interface ConnectionOptions {
  /** Finds the service. Called before each request: another process may get the port of a service that has ended. Null: no service runs. */
  readonly locate: () => Promise<Address | null>;
  readonly fetch: typeof globalThis.fetch;
  /** How long requests are repeated while the service does not respond. */
  readonly patienceMs: number;
}

export interface Call {
  readonly method?: string | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether a request that may have arrived can be sent again. Default: only GET, DELETE and PUT. */
  readonly isRepeatable?: boolean | undefined;
  /** Called if the connection breaks, or the signal is aborted, after the service may have accepted the request. */
  readonly onLost?: (() => void) | undefined;
}

const pollMs = 200;
/** A connection that breaks after this time was accepted: the service responded again since the failure before. */
const openMs = 1000;
const secondMs = 1000;

/** A connection to a service that survives a restart of the service. */
export class Connection {
  readonly #options: ConnectionOptions;
  #hasResponded = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Sends a request and reads the answer. Repeats it if the service goes away or asks for it. */
  async ask<Answer>(
    path: string,
    call: Call,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const { locate, fetch, patienceMs } = this.#options;
    let deadline: number | null = null;
    let wasRejected = false;
    for (;;) {
      let waitMs = pollMs;
      let failure: HobError;
      const address = await locate();
      call.signal?.throwIfAborted();
      if (address === null) {
        failure = new HobError('Hob is not running.', { code: 'not-running', hint: 'Start it: hob start' });
        if (!this.#hasResponded) throw failure;
      } else {
        const { url, init } = requestOf(address, path, call, body);
        const sentAt = performance.now();
        try {
          const response = await fetch(url, init);
          this.#hasResponded = true;
          if (response.ok) return await read(response);
          failure = await refusalOf(response);
          const delay = Number(response.headers.get('retry-after') ?? Number.NaN) * secondMs;
          // The token may have been renewed.
          const isOutdated = response.status === 401 && !wasRejected;
          if (isOutdated) wasRejected = true;
          else if (response.status !== 503 || Number.isNaN(delay)) throw failure;
          else waitMs = delay;
        } catch (error) {
          const isSent = !(error instanceof HobError) && errorCodeOf(error) !== 'ECONNREFUSED';
          if (isSent) call.onLost?.();
          call.signal?.throwIfAborted();
          if (error instanceof HobError) throw error;
          failure = unreachable(address, error);
          if (isSent && !isRepeatable(call)) throw failure;
          if (isCut(error) && performance.now() - sentAt >= openMs) deadline = null;
        }
      }
      const now = performance.now();
      deadline ??= now + patienceMs;
      if (now + waitMs > deadline) throw failure;
      await sleep(waitMs, call.signal);
    }
  }

  /** Yields the events of a stream, and resumes where it broke. Ends only if the stream has no more events. */
  async *events(
    path: string,
    { since, signal }: { since?: string | undefined; signal?: AbortSignal | undefined },
  ): AsyncGenerator<EventFrame, void, undefined> {
    let lastId = since;
    for (;;) {
      const aborter = new AbortController();
      const either = signal === undefined ? aborter.signal : AbortSignal.any([aborter.signal, signal]);
      const headers = {
        accept: 'text/event-stream',
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      };
      try {
        const response = await this.ask(path, { headers, signal: either }, async (answer) => answer);
        if (response.status === 204 || response.body === null) return;
        const frames = new EventFrames();
        const decoder = new TextDecoder();
        const reader = response.body.getReader();
        for (;;) {
          // A broken connection rejects. The next request resumes after the last event.
          const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
          signal?.throwIfAborted();
          if (done || value === undefined) break;
          for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
            if (frame.type !== '') yield frame;
            lastId = frame.id;
          }
        }
      } finally {
        aborter.abort();
      }
      await sleep(pollMs, signal);
    }
  }
}

/** Throws a TypeError if a value cannot be sent. `fetch` would report it like a broken connection. */
function requestOf(
  { url, token }: Address,
  path: string,
  { method = 'GET', headers, signal }: Call,
  body: string | undefined,
): { url: string; init: RequestInit } {
  const init: RequestInit = {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // Only the service may get the body.
    redirect: 'manual',
    ...(body !== undefined && { body }),
  };
  const checked = new Request(url + path, init);
  return { url: checked.url, init: { ...init, ...(signal !== undefined && { signal }) } };
}

function isRepeatable({
  method = 'GET',
  isRepeatable = method !== 'POST' && method !== 'PATCH',
}: Call): boolean {
  return isRepeatable;
}

async function refusalOf(response: Response): Promise<HobError> {
  const { status, headers } = response;
  const said: unknown = await response.json().catch(() => null);
  const fields: { message?: unknown; error?: unknown; hint?: unknown } = Object(said);
  const message = fields.message ?? fields.error ?? `Hob responded with status ${status}.`;
  return new HobError(String(message), {
    code: headers.get('x-hob-error'),
    status,
    hint: typeof fields.hint === 'string' ? fields.hint : '',
  });
}

function unreachable({ url }: Address, cause: unknown): HobError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message : String(inner);
  return new HobError(`No response from Hob at ${url} (${reason}).`, {
    code: 'unreachable',
    hint: 'To find the cause: hob doctor',
    cause,
  });
}

/** Whether the other side closed an open connection. */
function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(errorCodeOf(error) ?? '');
}

/** The system's code for a failed connection. */
function errorCodeOf(error: unknown): string | undefined {
  const { code }: { code?: unknown } = Object(error instanceof Error ? (error.cause ?? error) : error);
  return typeof code === 'string' ? code : undefined;
}

/** Rejects when the signal is aborted. */
export function sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
