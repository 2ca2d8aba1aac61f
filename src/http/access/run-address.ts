import type { IncomingMessage } from 'node:http';

/** Run tokens of current requests. They are not fields of the request, so code that logs a request cannot log a token. */
const tokens = new WeakMap<IncomingMessage, string>();

const prefix = /^\/r\/([^/?]+)(?=[/?]|$)/;

/**
 * Removes the prefix `/r/<token>` from the path of a request and stores the token. Scripts receive a base address with this
 * prefix and append paths to it.
 */
export function stripRunToken(request: IncomingMessage): void {
  const url = request.url ?? '/';
  const match = prefix.exec(url);
  if (match === null) return;
  const [whole, segment = ''] = match;
  // A script that resolves `api/...` as a relative URL drops the token and keeps `/r/`.
  if (segment !== 'api') tokens.set(request, segment);
  const rest = segment === 'api' ? `/${url.slice('/r/'.length)}` : url.slice(whole.length);
  request.url = rest.startsWith('/') ? rest.replace(/^\/+/, '/') : `/${rest}`;
}

export function tokenOf(request: IncomingMessage): string | null {
  return tokens.get(request) ?? null;
}
