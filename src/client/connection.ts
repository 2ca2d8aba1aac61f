import { type EventFrame, EventFrames } from '../contract/event-frames.ts';
import { HobError } from './errors.ts';

/** Where a service is, and what it requires. */
export interface Address {
  readonly url: string;
  readonly token?: string | undefined;
}

export interface ConnectionOptions {
  /** Finds the service. Called before the first request, and again after each failure. Null: no service runs. */
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
}

const pollMs = 200;
const secondMs = 1000;

/** A connection to a service that survives a restart of the service. Uses only what browsers have. */
export class Connection {
  readonly #options: ConnectionOptions;
  #address: Address | null = null;
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
    let deadline: number | null = null;
    let wasRejected = false;
    for (;;) {
      let waitMs = pollMs;
      let failure: unknown;
      try {
        const response = await this.#send(path, call);
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
        call.signal?.throwIfAborted();
        if (error instanceof HobError && !(error.code === 'not-running' && this.#hasResponded)) throw error;
        const isNotSent = error instanceof HobError || errorCodeOf(error) === 'ECONNREFUSED';
        if (!isNotSent && !isRepeatable(call)) throw unreachable(this.#address, error);
        failure = error instanceof HobError ? error : unreachable(this.#address, error);
      }
      const now = performance.now();
      deadline ??= now + this.#options.patienceMs;
      if (now + waitMs > deadline) throw failure;
      await sleep(waitMs, call.signal);
      this.#address = null;
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

  async #send(path: string, { method = 'GET', body, headers, signal }: Call): Promise<Response> {
    this.#address ??= await this.#options.locate();
    if (this.#address === null)
      throw new HobError('Hob is not running.', {
        code: 'not-running',
        hint: 'Start it: hob start',
      });
    const { url, token } = this.#address;
    const { fetch } = this.#options;
    return fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  }
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

function unreachable(address: Address | null, cause: unknown): HobError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message : String(inner);
  return new HobError(`No response from Hob at ${address?.url ?? 'its address'} (${reason}).`, {
    code: 'unreachable',
    hint: 'To find the cause: hob doctor',
    cause,
  });
}

/** The system's code for a failed connection. Browsers do not tell it. */
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
