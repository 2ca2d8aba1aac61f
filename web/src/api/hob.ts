import { Client } from '../../../src/client/client.ts';
import type { Connection } from '../../../src/client/connection.ts';
import { HobError } from '../../../src/client/errors.ts';
import { setServiceClock } from './service-clock.ts';

export { HobError };

/** How the page reaches the service that it was loaded from. */
export const connectionOptions: ConstructorParameters<typeof Connection>[0] = {
  locate: async () => ({ url: location.origin }),
  fetch: (url, init) => fetch(url, init),
  headers: () => ({ 'accept-language': document.documentElement.lang, 'x-hob-origin': 'console' }),
  onResponse: ({ headers }) => setServiceClock(headers.get('date') ?? null),
  // Queries are repeated by their cache, and nothing else is repeated without the user.
  patienceMs: 0,
};

export const hob = new Client({ ...connectionOptions, isInsideRun: false });

/** The limit of reading requests: a connection may be dead without an error. Other requests have none, because their work may take long. */
export const readLimitMs = 60_000;

/** Reads JSON. The type is not checked: the service validates its answers by the same schema. */
export function getJson<Answer>(
  path: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Answer> {
  return hob.request<Answer>('GET', path, { signal, limitMs: readLimitMs });
}

/** Whether the service answered with an error status. */
export function isRefused(error: unknown): error is HobError {
  return error instanceof HobError && error.status !== null;
}

/** Whether there was no response: the service is not running, hangs, or is restarting. */
export function isUnreachable(error: unknown): error is HobError {
  return error instanceof HobError && error.code === 'unreachable';
}

/** Whether the response took too long. */
export function isLate(error: unknown): boolean {
  return isUnreachable(error) && error.cause instanceof DOMException && error.cause.name === 'TimeoutError';
}

/** Whether the user must sign in first. */
export function needsToken(error: unknown): boolean {
  return error instanceof HobError && error.code === 'door-token';
}
