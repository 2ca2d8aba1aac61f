import type { IncomingMessage } from 'node:http';

/** Tokens of requests under way. Kept beside the requests, so that nothing that prints a request can print one. */
const tokens = new WeakMap<IncomingMessage, string>();

const prefix = /^\/r\/([^/?]+)(?=[/?]|$)/;

/**
 * Scripts are given an address that ends in `/r/<token>` and append paths to it. This takes that beginning off the request,
 * so that everything behind it is the same service, and keeps the token.
 */
export function stripRunToken(request: IncomingMessage): void {
  const url = request.url ?? '/';
  const match = prefix.exec(url);
  if (match === null) return;
  const [whole, segment = ''] = match;
  // A script that joined addresses by the rules of relative links has dropped the token and kept the `/r/`.
  if (segment !== 'api') tokens.set(request, segment);
  const rest = segment === 'api' ? `/${url.slice('/r/'.length)}` : url.slice(whole.length);
  request.url = rest.startsWith('/') ? rest.replace(/^\/+/, '/') : `/${rest}`;
}

export function tokenOf(request: IncomingMessage): string | null {
  return tokens.get(request) ?? null;
}
