import { lstatSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Clock } from '../../shared/clock.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { Text } from '../../shared/text.ts';
import { readToken, TokenError, tokenFileOf } from '../../shared/token-file.ts';
import { isOfConsole } from '../console.ts';
import { tokenOf } from './access-rules.ts';
import { areEqual, cookiesIn, type Session, Sessions } from './sessions.ts';

interface TokenGuardOptions {
  home: string;
  /** Whether a run token belongs to a run that has not ended. */
  isLiveRun: (runToken: string) => boolean;
  clock: Clock;
  log: Logger;
}

/** The operations that a run token gives access to. */
export const operationsOfRuns: ReadonlySet<string> = new Set([
  '/api/execute',
  '/api/link',
  '/api/notify',
  '/api/model/path',
  '/api/progress',
]);

/** Readable without a token. */
export const publicOperation = '/api/health';

const recheckMs = 2000;

/**
 * Access control in token mode. The token file in the home is authoritative: a renewed token is valid from the next request
 * on, and an unusable file gives no access.
 */
export class TokenGuard {
  readonly #options: TokenGuardOptions;
  readonly #sessions: Sessions;
  readonly #readers = new Set<IncomingMessage>();
  readonly #recheckTimer: NodeJS.Timeout;
  #fileVersion: string | null = null;
  #token: string | null = null;

  constructor(options: TokenGuardOptions) {
    this.#options = options;
    this.#sessions = new Sessions(options.clock);
    this.#recheckTimer = setInterval(() => this.#recheckReaders(), recheckMs).unref();
  }

  /** Null if the request is allowed, else the reason. The run token has already been removed from its path. */
  check(request: IncomingMessage): AppError | null {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    // Monitoring needs the health check without a token, which then shows only the basics. The console's page loads without a
    // token, because the page itself asks for it.
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (isReading && (path === publicOperation || isOfConsole(path))) return null;
    return this.#identify(request, path);
  }

  /** Whether the caller is authenticated, and may see the details of public answers. */
  isKnown(request: IncomingMessage): boolean {
    return this.#identify(request, publicOperation) === null;
  }

  #identify(request: IncomingMessage, path: string): AppError | null {
    const token = this.#current();
    const presented = bearerIn(request);
    if (presented !== null && token !== null && areEqual(presented, token)) return null;
    const runToken = tokenOf(request);
    const isOfRuns = runToken !== null && operationsOfRuns.has(path);
    if (isOfRuns && this.#options.isLiveRun(runToken)) return null;
    const sessions = cookiesIn(request);
    // A session cannot start a new session, or it would never expire.
    const isBeginning = path === '/api/session' && request.method === 'POST';
    if (token !== null && !isBeginning && sessions.some((each) => this.#sessions.isOpen(each, token)))
      return null;

    if (presented !== null) return refusal(token === null ? noneUsable : wrongToken);
    if (runToken !== null) return refusal(isOfRuns ? noLiveRun : notForRuns);
    return refusal(sessions.length > 0 && !isBeginning ? noSession : noToken);
  }

  /** Closes a long answer when its reader loses access. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    // A caller that waits for a script it started still gets the answer.
    if (request.method !== 'GET') return;
    this.#readers.add(request);
    response.once('close', () => this.#readers.delete(request));
  }

  startSession(port: number): Session | null {
    const token = this.#current();
    return token === null ? null : this.#sessions.start(token, port);
  }

  /** Returns the value of the Set-Cookie header. */
  endSession(request: IncomingMessage): string {
    return this.#sessions.end(request, this.#current());
  }

  close(): void {
    clearInterval(this.#recheckTimer);
  }

  #recheckReaders(): void {
    for (const request of this.#readers) if (this.check(request) !== null) request.socket.destroy();
  }

  /** The token in the file; null if the file is missing or unusable. */
  #current(): string | null {
    const version = versionOf(tokenFileOf(this.#options.home));
    if (version === this.#fileVersion) return this.#token;
    this.#fileVersion = version;
    this.#token = null;
    try {
      this.#token = readToken(this.#options.home);
      if (this.#token === null) this.#options.log.error('token file is missing: all requests are refused');
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.#options.log.error(`all requests are refused: ${error.message}`);
    }
    return this.#token;
  }
}

/** Changes whenever the file is replaced, written to, or gets other permissions. */
function versionOf(path: string): string {
  try {
    const { ino, mtimeNs, ctimeNs, size } = lstatSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${ctimeNs} ${size}`;
  } catch (error) {
    return String(errnoOf(error));
  }
}

function bearerIn({ headers }: IncomingMessage): string | null {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

const noToken: Text = { en: 'A token is required', zh: '此 Hob 需要令牌' };
const wrongToken: Text = {
  en: 'The token is wrong; it may have been renewed',
  zh: '令牌不正确，可能已更新',
};
const noneUsable: Text = {
  en: 'The service cannot use its own token file at the moment; see its log',
  zh: '此 Hob 的令牌目前无法使用，原因见日志',
};
const noLiveRun: Text = {
  en: 'The run token in this address has expired',
  zh: '该地址中的运行令牌已失效',
};
const notForRuns: Text = {
  en: 'A run token allows only execute, link, notify, model path and progress',
  zh: '运行令牌仅可用于 execute、link、notify、model path 和 progress',
};
const noSession: Text = { en: 'The session has ended', zh: '会话已结束' };

function refusal({ en, zh }: Text): AppError {
  return new AppError('door-token', {
    en: `${en} (access rule 11, setting token). Send the header "Authorization: Bearer <token>". To see the token, run hob token on the machine of the service.`,
    zh: `${zh}（规则 11，设置 token）。请以 “Authorization: Bearer <令牌>” 发送令牌；在其所在机器上运行 hob token 可查看。`,
  });
}
