import { setServiceClock } from './service-clock.ts';

/** The service answered with an error status. */
export class RefusedError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  /** The fields of the request that caused the error, such as `params.key`, if the service names them. */
  readonly fields: readonly string[];
  /** The files that caused the error, if the service names them. */
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

  /** Whether the user must sign in first. */
  get needsToken(): boolean {
    return this.code === 'door-token';
  }
}

/** There was no response: the service is not running, hangs, or is restarting. */
export class UnreachableError extends Error {
  /** Whether the request timed out. */
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
  /** Maximum time until the response begins. */
  readonly limitMs?: number;
}

/** Default limit of GET requests: a connection may be dead without an error. Other methods have no limit, because their work may take long. */
const lookUpMs = 60_000;

/** Calls the service and returns the raw response. */
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

/** Calls the service and parses the JSON response. The type is not checked: the service validates its responses by the same schema. */
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
