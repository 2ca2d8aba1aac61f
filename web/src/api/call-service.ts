import { setServiceClock } from './service-clock.ts';

/** The service has answered that it will not. */
export class RefusedError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  /** What of the request it is about, such as `params.key`, where the service names it. */
  readonly fields: readonly string[];
  /** The files that are at fault, likewise. */
  readonly files: readonly string[];

  constructor(status: number, body: unknown) {
    super(textIn(body, 'message') ?? `HTTP ${status}`);
    this.name = 'RefusedError';
    this.status = status;
    this.code = textIn(body, 'code') ?? '';
    this.hint = textIn(body, 'hint');
    this.fields = textsIn(body, 'fields');
    this.files = textsIn(body, 'files');
  }

  /** Whether the person has to show the token first. */
  get needsToken(): boolean {
    return this.code === 'door-token';
  }
}

/** There was no answer at all: the service is not running, hangs, or is just being started anew. */
export class UnreachableError extends Error {
  /** Whether the answer was waited for as long as makes sense. */
  readonly isLate: boolean;

  constructor(cause: unknown, isLate = false) {
    super('Hob is not responding', { cause });
    this.name = 'UnreachableError';
    this.isLate = isLate;
  }
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How long an answer may take to begin. */
  readonly limitMs?: number;
}

/** Far more than what is only looked up takes; a connection may be dead without anybody being told. What does something takes as long as it takes. */
const lookUpMs = 60_000;

/** Calls the service; the answer is as it came. */
export async function openAnswer(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers, signal } = options;
  const { limitMs = method === 'GET' ? lookUpMs : Number.POSITIVE_INFINITY } = options;
  const giveUp = new AbortController();
  const timer = Number.isFinite(limitMs) ? setTimeout(() => giveUp.abort(), limitMs) : undefined;
  const response = await fetch(path, {
    method,
    headers: {
      'accept-language': document.documentElement.lang,
      'x-hob-origin': 'console',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal === undefined ? giveUp.signal : AbortSignal.any([signal, giveUp.signal]),
  })
    .catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      throw new UnreachableError(error, giveUp.signal.aborted);
    })
    .finally(() => clearTimeout(timer));
  setServiceClock(response.headers.get('date'));
  if (!response.ok) throw new RefusedError(response.status, await response.json().catch(() => null));
  return response;
}

/** Calls the service, and reads its answer. The type is that of the route's schema: the service answers by it. */
export async function callService<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  const response = await openAnswer(path, options);
  return (await response.json()) as Answer;
}

function textIn(body: unknown, name: string): string | null {
  const value = valueIn(body, name);
  return typeof value === 'string' && value !== '' ? value : null;
}

function textsIn(body: unknown, name: string): readonly string[] {
  const value = valueIn(body, name);
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function valueIn(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
