import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../shared/clock.ts';

export interface Session {
  /** The value of the Set-Cookie header. */
  readonly cookie: string;
  readonly expiresAt: Date;
}

const sessionMs = 12 * 3_600_000;
const mostCookies = 20;

/**
 * Session cookies, which a browser stores instead of the token. A session ends when it expires, is revoked, or the token is
 * renewed. It also ends with the service, because the list of revoked sessions exists only in memory.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  /** Revoked sessions and their original expiry. */
  readonly #ended = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(token: string, port: number): Session {
    const expiresMs = this.#nowMs + sessionMs;
    const id = `${expiresMs}.${randomBytes(12).toString('base64url')}`;
    const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}`;
    return {
      cookie: `${cookieName(port)}=${id}.${this.#signature(id, token)}; ${attributes}`,
      expiresAt: new Date(expiresMs),
    };
  }

  isOpen(cookie: string, token: string): boolean {
    const { id, expiresMs, signed } = partsOf(cookie);
    const isOurs = areEqual(signed, this.#signature(id, token));
    return isOurs && expiresMs > this.#nowMs && !this.#ended.has(id);
  }

  /** Revokes the session, including copies of its cookie. Returns the Set-Cookie value that deletes the cookie. */
  end(request: IncomingMessage, token: string | null): string {
    for (const [id, expiresMs] of this.#ended) if (expiresMs <= this.#nowMs) this.#ended.delete(id);
    for (const cookie of cookiesIn(request)) {
      const { id, expiresMs } = partsOf(cookie);
      if (token !== null && this.isOpen(cookie, token)) this.#ended.set(id, expiresMs);
    }
    return `${cookieName(request.socket.localPort)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  #signature(id: string, token: string): string {
    return createHmac('sha256', this.#key).update(`${token} ${id}`).digest('base64url');
  }
}

/** The session cookies of a request. Other services on the same host can set cookies with this name, so some may be invalid. */
export function cookiesIn({ headers, socket }: IncomingMessage): string[] {
  const start = `${cookieName(socket.localPort)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .slice(0, mostCookies);
}

/** Contains the port, because browsers share cookies between all ports of a host. */
export function cookieName(port: number | undefined): string {
  return `hob_session_${port}`;
}

function partsOf(cookie: string): { id: string; expiresMs: number; signed: string } {
  const [, id = '', expires = '0', signed = ''] = /^((\d{1,16})\.[\w-]{16})\.([\w-]{43})$/.exec(cookie) ?? [];
  return { id, expiresMs: Number(expires), signed };
}

/** Compares two secrets. The time taken reveals neither where they differ nor how long they are. */
export function areEqual(first: string, second: string): boolean {
  return timingSafeEqual(digest(first), digest(second));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
