import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { readToken, tokenFileOf } from '../../shared/token-file.ts';
import { tokenOf } from './run-address.ts';

interface TokenGuardOptions {
  home: string;
  /** Whether a token from an address that a run was given belongs to a run that lasts. */
  isLiveRun: (runToken: string) => boolean;
  clock: Clock;
  log: Logger;
}

export interface Session {
  /** The value of the Set-Cookie header. */
  readonly cookie: string;
  readonly expiresAt: Date;
}

/** What a run may do by the address that it was given. */
const operationsOfRuns = new Set([
  '/api/execute',
  '/api/link',
  '/api/notify',
  '/api/model/path',
  '/api/progress',
]);

const sessionMs = 12 * 3_600_000;

/**
 * Who may come in where a token is needed. The file in the home is the truth: a token that was renewed counts from the next
 * request on, and a file that cannot be used lets nobody in.
 */
export class TokenGuard {
  readonly #options: TokenGuardOptions;
  #seen: string | null = null;
  #token: string | null = null;

  constructor(options: TokenGuardOptions) {
    this.#options = options;
  }

  /** The reason when this request may not come in. Its target has lost the run token already. */
  judge(request: IncomingMessage): AppError | null {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    // Whoever watches over the service needs to know that it is there, and learns no more than that.
    if (path === '/api/health' && (request.method === 'GET' || request.method === 'HEAD')) return null;
    const { authorization } = request.headers;
    if (authorization !== undefined) return this.#judgeAuthorization(authorization);
    const runToken = tokenOf(request);
    if (runToken !== null && operationsOfRuns.has(path)) {
      return this.#options.isLiveRun(runToken) ? null : refusal(runOver);
    }
    return this.#isSession(cookieIn(request)) ? null : refusal(noToken);
  }

  /** Something for a browser to keep, so that the token itself need not be kept there. Renewing the token ends it. */
  startSession(port: number): Session | null {
    const token = this.#current();
    if (token === null) return null;
    const expiresMs = this.#options.clock.now().getTime() + sessionMs;
    const value = `${expiresMs}.${signature(token, String(expiresMs))}`;
    const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}`;
    return { cookie: `${cookieName(port)}=${value}; ${attributes}`, expiresAt: new Date(expiresMs) };
  }

  #judgeAuthorization(authorization: string): AppError | null {
    const [, presented] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (presented === undefined) return refusal(noToken);
    const token = this.#current();
    return token !== null && areEqual(presented, token) ? null : refusal(wrongToken);
  }

  #isSession(cookie: string | null): boolean {
    const [, expiresMs = '', signed = ''] = /^(\d{1,16})\.([\w-]+)$/.exec(cookie ?? '') ?? [];
    const token = this.#current();
    if (token === null || expiresMs === '') return false;
    return (
      areEqual(signed, signature(token, expiresMs)) && Number(expiresMs) > this.#options.clock.now().getTime()
    );
  }

  /** The token as it stands in the file; null when nobody can have it. */
  #current(): string | null {
    const seen = versionOf(tokenFileOf(this.#options.home));
    if (seen === this.#seen) return this.#token;
    this.#seen = seen;
    try {
      this.#token = readToken(this.#options.home);
      if (this.#token === null) this.#options.log.error('the token file is gone, so nobody can come in');
    } catch (error) {
      this.#token = null;
      this.#options.log.error({ err: error }, 'the token cannot be used, so nobody can come in');
    }
    return this.#token;
  }
}

/** Takes the session back from the browser. */
export function endSession(port: number): string {
  return `${cookieName(port)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** Browsers keep one set of cookies for all ports of a host. */
function cookieName(port: number): string {
  return `hob_session_${port}`;
}

function cookieIn({ headers, socket }: IncomingMessage): string | null {
  const start = `${cookieName(socket.localPort ?? 0)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? null;
}

function signature(token: string, expiresMs: string): string {
  return createHmac('sha256', token).update(`session until ${expiresMs}`).digest('base64url');
}

/** In a time that says nothing about where they differ, or how long they are. */
function areEqual(first: string, second: string): boolean {
  return timingSafeEqual(digest(first), digest(second));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Differs whenever the file was replaced, written to, or given other rights. */
function versionOf(path: string): string {
  const stats: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`;
}

const noToken = {
  en: 'This Hob asks for its token (door rule 11, setting token).',
  zh: '此 Hob 需要令牌（规则 11，设置 token）。',
};
const wrongToken = {
  en: 'The token is not the one of this Hob; it may have been renewed (door rule 11, setting token).',
  zh: '令牌不正确，可能已更新（规则 11，设置 token）。',
};
const runOver = {
  en: 'The run that this address was given to is over, so the address opens nothing any more (door rule 11, setting token).',
  zh: '该地址所属的运行已结束，地址不再有效（规则 11，设置 token）。',
};

function refusal({ en, zh }: { en: string; zh: string }): AppError {
  return new AppError('door-token', {
    en: `${en} Send it as "Authorization: Bearer <token>"; on its machine, hob token prints it.`,
    zh: `${zh}请以 “Authorization: Bearer <令牌>” 发送；在其所在机器上运行 hob token 可查看。`,
  });
}
