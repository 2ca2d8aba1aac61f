import { type EventFrame, EventFrames } from '../contract/event-frames.ts';
import { HobError, reasonOf } from './errors.ts';

/** Where a service is, and what it requires. */
export interface Address {
  readonly url: string;
  readonly token?: string | undefined;
}

/** The part of a `Response` that this client needs. A program with another HTTP client than `fetch` has to build only this. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: { get(name: string): string | null | undefined };
  readonly body: { getReader(): Reader } | null;
  text(): Promise<string>;
}

interface Reader {
  read(): Promise<{ done?: boolean | undefined; value?: Uint8Array | undefined }>;
}

/** The options of a request, as `fetch` takes them. */
export interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly redirect: 'manual';
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

export interface ConnectionOptions<Reply extends Answer = Response> {
  /** Finds the service. Called before each request: another process may get the port of a service that has ended. Null: no service runs. */
  readonly locate: () => Promise<Address | null>;
  readonly fetch: (url: string, init: Sent) => Promise<Reply>;
  /** How long requests are repeated while the service does not respond. */
  readonly patienceMs: number;
  /** Waits before a request is repeated. May return early to repeat it at once. Default: a timer that rejects when the signal is aborted. */
  readonly sleep?: ((durationMs: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** The headers of each request. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** Called with each response, of any status. */
  readonly onResponse?: ((response: Answer) => void) | undefined;
  /** Called before a request is repeated, and before a broken stream is resumed. */
  readonly onGone?: ((error: HobError) => void) | undefined;
}

export interface Call {
  readonly method?: string | undefined;
  /** Sent as JSON, or as it is if it is bytes. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether a request that may have arrived can be sent again. Default: only GET, DELETE and PUT. */
  readonly isRepeatable?: boolean | undefined;
  /** How long this request is repeated. Default: as long as the connection says. */
  readonly patienceMs?: number | undefined;
  /** How long one attempt may take until the answer is read, or until the response begins if it is opened. Default: no limit. */
  readonly limitMs?: number | undefined;
  /** `throw` does not repeat a request that is refused with `Retry-After`. `return` returns the refused response. Default: `repeat`. */
  readonly refusal?: 'repeat' | 'throw' | 'return' | undefined;
  /** Called if the connection breaks, or the signal is aborted, after the service may have accepted the request. */
  readonly onLost?: (() => void) | undefined;
}

const pollMs = 200;
const longestPollMs = 5000;
/** During a long outage, requests become rare. */
const pollShare = 0.1;
/** The service sends at least a comment every 15 s. After a longer silence the connection is considered dead. */
const silenceMs = 40_000;
/** A connection that breaks after this time was accepted: the service responded again since the failure before. */
const openMs = 1000;
const secondMs = 1000;

/** A connection to a service that survives a restart of the service. */
export class Connection<Reply extends Answer = Response> {
  readonly #options: ConnectionOptions<Reply>;
  #hasResponded = false;

  constructor(options: ConnectionOptions<Reply>) {
    this.#options = options;
  }

  /** Sends a request and reads the answer. Repeats it if the service goes away or asks for it. */
  async ask<Result>(path: string, call: Call, read: (response: Reply) => Promise<Result>): Promise<Result> {
    const body = bodyOf(call.body);
    const { locate, fetch, headers, onResponse, onGone, sleep = usualSleep } = this.#options;
    const { signal, refusal = 'repeat', patienceMs = this.#options.patienceMs } = call;
    let outageAt: number | null = null;
    let wasRejected = false;
    for (;;) {
      let delayMs: number | null = null;
      let failure: HobError;
      const locatedAt = performance.now();
      const address = await locate().catch(asHobError);
      signal?.throwIfAborted();
      // The service may be well while this client waits for its address.
      if (outageAt !== null) outageAt += performance.now() - locatedAt;
      if (address === null || address instanceof HobError) {
        failure = address ?? notRunning();
        if (!this.#hasResponded) throw failure;
      } else {
        const { url, init } = requestOf(address, path, call, body, headers?.());
        const limit = new Limit(call.limitMs, signal);
        const sentAt = performance.now();
        let hasBegun = false;
        try {
          const response = await fetch(
            url,
            limit.signal === undefined ? init : { ...init, signal: limit.signal },
          );
          this.#hasResponded = hasBegun = true;
          onResponse?.(response);
          if (response.ok || refusal === 'return') return await read(response);
          failure = await refusalOf(response);
          const delay = Number(response.headers.get('retry-after') ?? Number.NaN) * secondMs;
          // The token may have been renewed.
          const isOutdated = response.status === 401 && address.token !== undefined && !wasRejected;
          if (isOutdated) wasRejected = true;
          else if (response.status !== 503 || Number.isNaN(delay) || refusal === 'throw') throw failure;
          else delayMs = delay;
        } catch (error) {
          const isSent = !(error instanceof HobError) && errorCodeOf(error) !== 'ECONNREFUSED';
          if (isSent) call.onLost?.();
          signal?.throwIfAborted();
          if (error instanceof HobError || isUnsendable(error, url, init)) throw error;
          failure = unreachable(address, error);
          if (isSent && !isRepeatable(call)) throw failure;
          // A request that waits for something, such as the end of a run, is cut by each restart of the service.
          const isWaiting = init.method === 'GET' && !hasBegun;
          if (isWaiting && isCut(error) && performance.now() - sentAt >= openMs) outageAt = null;
        } finally {
          limit.lift();
        }
      }
      const now = performance.now();
      outageAt ??= now;
      const waitMs = delayMs ?? pauseAfter(now - outageAt);
      if (now - outageAt + waitMs > patienceMs) throw failure;
      onGone?.(failure);
      await sleep(waitMs, signal);
    }
  }

  /** Returns the response as soon as it begins. A body that breaks is not resumed. */
  open(path: string, call: Call): Promise<Reply> {
    return this.ask(path, call, async (response) => response);
  }

  /**
   * Yields the events of a stream, and resumes where it broke. Ends only if the stream has no more events. A frame without a type only
   * states a position.
   */
  async *events(
    path: string,
    {
      since,
      signal,
      patienceMs,
    }: { since?: string | undefined; signal?: AbortSignal | undefined; patienceMs?: number | undefined },
  ): AsyncGenerator<EventFrame, void, undefined> {
    let lastId = since;
    for (;;) {
      const aborter = new AbortController();
      const either = signal === undefined ? aborter.signal : AbortSignal.any([aborter.signal, signal]);
      const headers = {
        accept: 'text/event-stream',
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      };
      let cause: unknown;
      try {
        const response = await this.open(path, { headers, signal: either, patienceMs, limitMs: silenceMs });
        if (response.status === 204 || response.body === null) return;
        const frames = new EventFrames();
        const decoder = new TextDecoder();
        const reader = response.body.getReader();
        for (;;) {
          // A broken connection rejects. The next request resumes after the last event.
          const { done, value } = await readWithin(reader, silenceMs).catch((error: unknown) => {
            cause = error;
            return { done: true, value: undefined };
          });
          signal?.throwIfAborted();
          if (done || value === undefined) break;
          for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
            yield frame;
            lastId = frame.id;
          }
        }
      } finally {
        aborter.abort();
      }
      this.#options.onGone?.(new HobError('The stream of events broke.', { code: 'unreachable', cause }));
      await (this.#options.sleep ?? usualSleep)(pollMs, signal);
    }
  }
}

/** A limit for one attempt, and the signal that ends the attempt. */
class Limit {
  readonly signal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number | undefined, signal: AbortSignal | undefined) {
    if (limitMs === undefined) {
      this.signal = signal;
      return;
    }
    const aborter = new AbortController();
    this.#timer = setTimeout(() => aborter.abort(late()), limitMs);
    this.signal = signal === undefined ? aborter.signal : AbortSignal.any([aborter.signal, signal]);
  }

  lift(): void {
    clearTimeout(this.#timer);
  }
}

function late(): Error {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

/** Only the read is timed: the time that a consumer spends on an event does not count as silence. */
async function readWithin(reader: Reader, ms: number): ReturnType<Reader['read']> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  return Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
}

function pauseAfter(outageMs: number): number {
  return Math.min(Math.max(pollMs, outageMs * pollShare), longestPollMs);
}

function bodyOf(body: object | undefined): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

function requestOf(
  { url, token }: Address,
  path: string,
  { method = 'GET', headers }: Call,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  ofConnection: Readonly<Record<string, string>> | undefined,
): { url: string; init: Sent } {
  const init: Sent = {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...ofConnection,
      ...headers,
    },
    // Only the service may get the body.
    redirect: 'manual',
    ...(body !== undefined && { body }),
  };
  return { url: new URL(url + path).href, init };
}

/** Whether a value cannot be sent, which `fetch` reports like a broken connection. Loading `Request` takes long, so it is used only then. */
function isUnsendable(error: unknown, url: string, init: Sent): boolean {
  if (!(error instanceof TypeError)) return false;
  try {
    return new Request(url, init) === null;
  } catch {
    return true;
  }
}

function isRepeatable({
  method = 'GET',
  isRepeatable = method !== 'POST' && method !== 'PATCH',
}: Call): boolean {
  return isRepeatable;
}

async function refusalOf(response: Answer): Promise<HobError> {
  const { status, headers } = response;
  const said: unknown = await response
    .text()
    .then(JSON.parse)
    .catch(() => null);
  const parts: { message?: unknown; error?: unknown; hint?: unknown; fields?: unknown; files?: unknown } =
    Object(said);
  const message = parts.message ?? parts.error;
  return new HobError(String(message ?? `Hob responded with status ${status}.`), {
    code: headers.get('x-hob-error') ?? (message === undefined ? 'no-message' : null),
    status,
    hint: typeof parts.hint === 'string' ? parts.hint : '',
    fields: textsOf(parts.fields),
    files: textsOf(parts.files),
  });
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function notRunning(): HobError {
  return new HobError('Hob is not running.', { code: 'not-running', hint: 'Start it: hob start' });
}

function asHobError(error: unknown): HobError {
  if (error instanceof HobError) return error;
  throw error;
}

function unreachable({ url }: Address, cause: unknown): HobError {
  return new HobError(`No response from Hob at ${url} (${reasonOf(cause)}).`, {
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
function usualSleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
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
