import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { brief } from '../../shared/brief.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';

/** Run tokens of current requests. They are not fields of the request, so code that logs a request cannot log a token. */
const tokens = new WeakMap<IncomingMessage, string>();

const prefix = /^\/r\/([^/?]+)(?=[/?]|$)/;

/** The data that the access rules check: request line and header exactly as received. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  /** Names and values alternately, as Node provides them. */
  readonly rawHeaders: readonly string[];
  /**
   * The local address and port of the connection, in every form a client may write, if Hob listens on all addresses of
   * the machine. In a DNS rebinding attack the browser sends the attacker's host name, never this address.
   */
  readonly reached?: readonly string[];
}

export interface AccessPolicy {
  /** Allowed values of the Host header, with the port, in lower case. */
  readonly hosts: ReadonlySet<string>;
  readonly trustedOrigins: ReadonlySet<string>;
}

/**
 * Returns null if a request is allowed, else the reason to refuse it. Any web page that the user opens can send requests to
 * a service on the loopback address, so this check runs before parsing and routing. Programs send neither Origin nor
 * Sec-Fetch-Site. A page cannot make a browser omit both and still send an allowed Host.
 */
export function checkAccess(head: RequestHead, policy: AccessPolicy): AppError | null {
  try {
    return checkProtocol(head) ?? checkHost(head, policy) ?? checkOrigin(head, policy) ?? checkMethod(head);
  } catch (error) {
    return refusal(
      'door-protocol',
      { en: 'The request is not valid.', zh: '无法识别该请求。' },
      undefined,
      error,
    );
  }
}

function checkProtocol({ httpVersion, target }: RequestHead): AppError | null {
  if (httpVersion !== '1.0' && httpVersion !== '1.1') {
    return refusal('door-protocol', {
      en: 'Only HTTP/1.0 and HTTP/1.1 are supported (access rule 2).',
      zh: '仅支持 HTTP/1.0 和 HTTP/1.1（规则 2）。',
    });
  }
  if (target.startsWith('/') && !target.startsWith('//') && !target.includes('#')) return null;
  return refusal('door-protocol', {
    en: 'The request target must be a path that starts with a single / and contains no # (access rule 2).',
    zh: '请求目标应为以单个 / 开头且不含 # 的路径（规则 2）。',
  });
}

function checkHost({ rawHeaders, reached = [] }: RequestHead, { hosts }: AccessPolicy): AppError | null {
  const [host, second] = valuesOf(rawHeaders, 'host');
  if (host === undefined || second !== undefined) {
    return refusal('door-host-missing', {
      en: 'The request must have exactly one Host header (access rule 3).',
      zh: '请求必须有且只有一个 Host 头（规则 3）。',
    });
  }
  if (hosts.has(host.toLowerCase()) || reached.includes(host.toLowerCase())) return null;
  return refusal(
    'door-host',
    {
      en: `The host ${brief(host)} is not allowed (access rule 3).`,
      zh: `不接受主机 ${brief(host)}（规则 3）。`,
    },
    {
      en: 'Use an address that Hob listens on, with the port, such as http://127.0.0.1:9527, or add this host to the setting extra_hosts.',
      zh: '请使用其监听的地址加端口（例如 http://127.0.0.1:9527），或将该主机加入设置 extra_hosts。',
    },
  );
}

function checkOrigin({ rawHeaders, method }: RequestHead, { trustedOrigins }: AccessPolicy): AppError | null {
  const [host = ''] = valuesOf(rawHeaders, 'host');
  const origins = valuesOf(rawHeaders, 'origin');
  const isTrusted = origins.length === 1 && origins.every((origin) => trustedOrigins.has(origin));
  if (isTrusted) return null;
  if (origins.length > 1 || origins.some((origin) => origin !== `http://${host.toLowerCase()}`)) {
    if (origins.join() === 'null') return noOrigin();
    return refusal(
      'door-origin',
      {
        en: `Web pages from ${brief(origins.join(', '))} are not allowed to call Hob (access rule 4).`,
        zh: `来自 ${brief(origins.join(', '))} 的网页不能调用 Hob（规则 4）。`,
      },
      trustHint,
    );
  }
  const isReading = method === 'GET' || method === 'HEAD';
  for (const site of valuesOf(rawHeaders, 'sec-fetch-site')) {
    if (site === 'same-origin' || (site === 'none' && isReading)) continue;
    if (site === 'none') return typedWrite();
    return refusal(
      'door-fetch-site',
      {
        en: `The browser reports that another site caused this request: ${brief(site)} (access rule 5).`,
        zh: `浏览器表明该请求由其他网站发起：${brief(site)}（规则 5）。`,
      },
      trustHint,
    );
  }
  return null;
}

function checkMethod({ method }: RequestHead): AppError | null {
  if (method !== 'OPTIONS') return null;
  return refusal('door-method', {
    en: 'OPTIONS is refused. Hob allows no cross-origin request that needs a preflight, such as one with a JSON body, not even from trusted origins (access rule 6).',
    zh: '不接受 OPTIONS：需要预检的跨域请求（例如发送 JSON）一律不允许，受信任的来源也不例外（规则 6）。',
  });
}

const trustHint: Text = {
  en: 'If this is your own page, add its origin to the setting trusted_origins. It can then send forms.',
  zh: '如果网页由您提供，请将其来源加入设置 trusted_origins，之后它可以发送表单。',
};

function noOrigin(): AppError {
  return refusal('door-origin', {
    en: 'A page without an origin, such as a local file or a sandboxed frame, cannot call Hob (access rule 4). No setting changes this: serve the page over HTTP.',
    zh: '没有来源的网页（例如本地文件或沙盒框架）不能调用 Hob，也没有设置可以放行（规则 4）。请通过 HTTP 提供该网页。',
  });
}

function typedWrite(): AppError {
  return refusal('door-fetch-site', {
    en: 'The browser reports that no page caused this request. Only GET and HEAD are allowed in this case (access rule 5).',
    zh: '浏览器表明该请求不是由网页发起，此时仅接受 GET 和 HEAD（规则 5）。',
  });
}

/** The remedy is part of the text, because not every error form has a `hint`. */
function refusal(code: ErrorCode, text: Text, remedy: Text = { en: '', zh: '' }, cause?: unknown): AppError {
  return new AppError(
    code,
    { en: `${text.en} ${remedy.en}`.trim(), zh: `${text.zh}${remedy.zh}` },
    { cause },
  );
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

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

export interface ConnectionLimits {
  /** Maximum number of connections. Connections above it are accepted only to be refused with an answer. */
  readonly most: number;
  /** The cause of the limit `most`, for error messages. */
  readonly reason: Text;
  /** Above this number, idle connections are closed: each one takes a file handle that a run may need. */
  readonly mostIdle: number;
  /** How long a client may pause while it sends a request, and after how long a client that does not read counts as stuck. */
  readonly pauseMs: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Bytes received on the connection when the answer was complete. */
  bytesReadAtEnd: number | null;
}

/** Connections above the limit that get a refusal as answer. Further ones are closed without an answer. */
const mostRefusedAtOnce = 100;

const refusedWithinMs = 5000;

/** Answered even above the limit, because monitoring and stopping are needed most when the service is overloaded. */
const alwaysAnswered = new Set(['/api/health', '/api/stop']);

/** Limits the number of connections, and closes connections that make no progress. */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #open = new Set<Socket>();
  /** Connections opened above the limit that have no place yet. */
  readonly #late = new Set<Socket>();
  readonly #exchanges = new WeakMap<Duplex, Exchange>();
  /** Connections on which further requests are ignored. */
  readonly #over = new WeakSet<Duplex>();
  /** Connections of clients that do not read, with the number of bytes taken so far. */
  readonly #stuck = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.limits = limits;
  }

  /** `onPause` is called for a client that stopped in the middle of its request. */
  watch(server: Server, onPause: (answer: ServerResponse, socket: Socket) => void): void {
    // Node counts a connection as idle once the answer is handed over, even if most of it is still to be sent.
    server.closeIdleConnections = () => this.#closeIdle(server);
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.setTimeout(this.limits.pauseMs, (socket: Socket) => {
      const exchange = this.#exchanges.get(socket);
      // Node itself refuses a client that is late with its first header.
      if (exchange === undefined) return;
      if (exchange.response.writableFinished) socket.destroy();
      else if (!exchange.request.complete) onPause(exchange.response, socket);
      // The client may be a pager that a person reads slowly. Close it only when its place is needed.
      else if (socket.writableLength > 0) this.#stuck.set(socket, takenOf(socket));
    });
  }

  /** The answer to the latest request on a connection. */
  latestAnswer(socket: Duplex): ServerResponse | null {
    return this.#exchanges.get(socket)?.response ?? null;
  }

  /** Registers a request. False if requests on its connection are ignored. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (this.#over.has(socket)) return false;
    const exchange: Exchange = { request, response, bytesReadAtEnd: null };
    this.#exchanges.set(socket, exchange);
    response.once('finish', () => {
      exchange.bytesReadAtEnd = socket.bytesRead;
    });
    return true;
  }

  /** Whether the connection of a request has, or now gets, a place within the limit. */
  hasRoom({ socket, url }: IncomingMessage): boolean {
    if (!this.#late.has(socket)) return true;
    if (this.#taken < this.limits.most) {
      this.#late.delete(socket);
      return true;
    }
    if (!alwaysAnswered.has(url ?? '')) return false;
    // This connection is closed soon. A client that reused it would lose its next request.
    const answer = this.latestAnswer(socket);
    if (answer !== null) answer.shouldKeepAlive = false;
    return true;
  }

  /** Ignores all further requests on this connection. */
  takeNoMore(socket: Duplex): void {
    this.#over.add(socket);
  }

  get #taken(): number {
    return this.#open.size - this.#late.size;
  }

  #admit(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#late.delete(socket);
      this.#stuck.delete(socket);
    });
    const { most, mostIdle } = this.limits;
    if (this.#taken > Math.min(most, mostIdle)) this.#closeIdle();
    if (this.#taken <= most) return;
    // A stuck connection that is closed here frees its place shortly after, in time for the request.
    this.#late.add(socket);
    this.#closeStuck();
    if (this.#late.size > mostRefusedAtOnce) {
      socket.destroy();
      return;
    }
    // A client without a place must not keep its connection open by sending nothing.
    const limit = setTimeout(() => {
      if (this.#late.has(socket)) socket.destroy();
    }, refusedWithinMs);
    socket.once('close', () => clearTimeout(limit));
  }

  /** Closes connections whose last answer is complete and that have received nothing since. */
  #closeIdle(server?: Server): void {
    for (const socket of this.#open) {
      const exchange = this.#exchanges.get(socket);
      const isIdle = exchange?.request.complete && exchange.bytesReadAtEnd === socket.bytesRead;
      // All is sent, and only the client's side is still open.
      const isOver = server !== undefined && this.#over.has(socket) && socket.writableFinished;
      if ((isIdle || isOver) && (server === undefined || serverOf(socket) === server)) socket.destroy();
    }
  }

  #closeStuck(): void {
    for (const [socket, taken] of this.#stuck) {
      this.#stuck.delete(socket);
      if (socket.writableLength > 0 && takenOf(socket) === taken) socket.destroy();
    }
  }
}

function takenOf({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

function serverOf(socket: Socket): unknown {
  return 'server' in socket ? socket.server : undefined;
}
