import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { dropBody } from '../../shared/drop-body.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { HeaderList } from './header-list.ts';

/** The answer to a sender: a status and, for an accepted delivery, the run. It never contains a reason. */
export interface HookAnswer {
  readonly status: number;
  readonly runId?: string;
  readonly retryAfterS?: number;
}

/** A request before its body has arrived. */
export interface HookHead {
  readonly method: string;
  /** As received: a path and a query. */
  readonly target: string;
  readonly headers: HeaderList;
  /** The address of the sender, or of the tunnel in front of the listener. */
  readonly sender: string;
}

/** A delivery whose body is wanted. Exactly one of its methods is called. */
export interface OpenDelivery {
  accept(body: Buffer): Promise<HookAnswer>;
  /** The body is too large, or will never be complete. `fact`: a size or an error code. */
  refuse(reason: 'too-large' | 'malformed', fact: string): HookAnswer;
}

export interface HookServerOptions {
  /** Decides by the header alone: an answer, or the delivery to read. */
  open: (head: HookHead) => HookAnswer | OpenDelivery;
  /** Reports bytes that are not HTTP. */
  onInvalid: (detail: string, sender: string) => void;
  /** Reports an exception, which is a mistake in Hob, or an error of the system. */
  onDefect: (error: unknown) => void;
  limits?: Partial<HookLimits>;
}

interface HookLimits {
  readonly bodyBytes: number;
  readonly headerMs: number;
  readonly requestMs: number;
  readonly connections: number;
}

/** The present use of a connection. Each connection carries one request. */
interface Exchange {
  response: ServerResponse | null;
  /** Null before the header has arrived, and after the delivery was decided. */
  delivery: OpenDelivery | null;
  isAnswering: boolean;
}

export const mostBodyBytes = 1024 * 1024;

const usualLimits: HookLimits = {
  bodyBytes: mostBodyBytes,
  headerMs: 10_000,
  requestMs: 30_000,
  connections: 100,
};
const maxHeaderBytes = 16 * 1024;
const timeoutChecks = 10;
const closeWithinMs = 2000;

/** The listener for webhooks, apart from the service: it has no routes, and strangers may reach it. */
export class HookServer {
  readonly #options: HookServerOptions;
  readonly #limits: HookLimits;
  readonly #server: Server;
  /** Oldest first. */
  readonly #exchanges = new Map<Duplex, Exchange>();

  constructor(options: HookServerOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    const { headerMs, requestMs } = this.#limits;
    this.#server = createServer({
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headerMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(headerMs, requestMs) / timeoutChecks,
    });
    const server = this.#server;
    // Above its limit Node silently drops headers, and one of them may be `Origin`. Their size is limited anyway.
    server.maxHeadersCount = 0;
    server.maxRequestsPerSocket = 1;
    server.on('connection', (socket: Socket) => this.#welcome(socket));
    server.on('request', (request, response) => this.#enter(request, response, () => {}));
    server.on('checkExpectation', (request, response) => this.#enter(request, response, () => {}));
    server.on('checkContinue', (request, response) =>
      this.#enter(request, response, () => response.writeContinue()),
    );
    server.on('connect', (_request: IncomingMessage, socket: Duplex) => socket.destroy());
    server.on('clientError', (error: Error, socket: Duplex) => this.#fail(error, socket));
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, exclusive: true }, () => {
        this.#server.removeListener('error', reject);
        // Without a listener, a connection that the system cannot accept would end the process.
        this.#server.on('error', (error: Error) => this.#options.onDefect(error));
        const address: AddressInfo | string | null = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Deliveries that have arrived are still answered, within a limit. */
  close(): Promise<void> {
    for (const [socket, { isAnswering }] of this.#exchanges) if (!isAnswering) socket.destroy();
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.#server.closeAllConnections(), closeWithinMs);
      this.#server.close(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }

  #welcome(socket: Socket): void {
    this.#exchanges.set(socket, { response: null, delivery: null, isAnswering: false });
    socket.once('close', () => this.#exchanges.delete(socket));
    if (this.#exchanges.size <= this.#limits.connections) return;
    // Idle connections of an attacker must not keep out the sender, so the oldest one makes room.
    const waiting = [...this.#exchanges].find(([, { isAnswering }]) => !isAnswering);
    (waiting?.[0] ?? socket).destroy();
  }

  #enter(request: IncomingMessage, response: ServerResponse, proceed: () => void): void {
    const exchange = this.#exchanges.get(request.socket);
    // A further request on the connection. It gets no answer, because the first one closes the connection.
    if (exchange === undefined || exchange.response !== null) return;
    exchange.response = response;
    const end = () => response.end();
    // A sender that waits for `100 Continue` sends no body now.
    const endBehindBody = () => (request.headers.expect === undefined ? dropBody(request, end) : end());
    const opened = this.#open(request);
    if ('status' in opened) {
      answer(response, opened);
      endBehindBody();
      return;
    }
    exchange.delivery = opened;
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > this.#limits.bodyBytes) {
      this.#refuse(exchange, 'too-large', `${announced} B`);
      endBehindBody();
      return;
    }
    proceed();
    this.#read(request, exchange);
  }

  #open(request: IncomingMessage): HookAnswer | OpenDelivery {
    try {
      return this.#options.open(headOf(request));
    } catch (error) {
      this.#options.onDefect(error);
      return { status: 500 };
    }
  }

  async #accept(delivery: OpenDelivery, body: Buffer): Promise<HookAnswer> {
    try {
      return await delivery.accept(body);
    } catch (error) {
      this.#options.onDefect(error);
      return { status: 500 };
    }
  }

  #read(request: IncomingMessage, exchange: Exchange): void {
    const { bodyBytes } = this.#limits;
    const chunks: Buffer[] = [];
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      if (exchange.delivery === null) return;
      received += chunk.length;
      chunks.push(chunk);
      if (received <= bodyBytes) return;
      chunks.length = 0;
      this.#refuse(exchange, 'too-large', `> ${bodyBytes} B`);
      dropBody(request, () => exchange.response?.end());
    });
    request.once('end', () => {
      const { delivery, response } = exchange;
      if (delivery === null || response === null) return;
      exchange.delivery = null;
      exchange.isAnswering = true;
      void this.#accept(delivery, Buffer.concat(chunks)).then((given) => {
        answer(response, given);
        response.end();
      });
    });
    // Without this listener, a connection that breaks would end the process.
    request.once('error', () => {});
    request.once('close', () => {
      exchange.delivery?.refuse('malformed', `${received} B`);
      exchange.delivery = null;
    });
  }

  #refuse(exchange: Exchange, reason: 'too-large' | 'malformed', fact: string): void {
    const { delivery, response } = exchange;
    exchange.delivery = null;
    if (delivery !== null && response !== null) answer(response, delivery.refuse(reason, fact));
  }

  /** Bytes that are not HTTP, or a request that takes too long. */
  #fail(error: Error, socket: Duplex): void {
    const exchange = this.#exchanges.get(socket);
    const code = errnoOf(error) ?? 'invalid';
    const status = statusOf(code);
    if (exchange?.delivery) {
      exchange.delivery.refuse('malformed', code);
      exchange.delivery = null;
    } else if (code !== 'ECONNRESET' && exchange?.response === null)
      this.#options.onInvalid(code, senderOf(socket));
    const isAnswered = exchange?.response?.headersSent === true;
    if (socket.writable && !isAnswered && code !== 'ECONNRESET')
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`, () =>
        socket.destroy(),
      );
    else socket.destroy();
  }
}

function statusOf(code: string): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return '431 Request Header Fields Too Large';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return '408 Request Timeout';
    default:
      return '400 Bad Request';
  }
}

function headOf({ method = '', url: target = '', rawHeaders: headers, socket }: IncomingMessage): HookHead {
  return { method, target, headers, sender: senderOf(socket) };
}

function senderOf(socket: Duplex): string {
  const address: unknown = Reflect.get(socket, 'remoteAddress');
  return typeof address === 'string' ? address : '';
}

/** Writes an answer completely. The caller ends the response. */
function answer(response: ServerResponse, { status, runId, retryAfterS }: HookAnswer): void {
  const body = runId === undefined ? '' : JSON.stringify({ run_id: runId });
  response.writeHead(status, {
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...(body !== '' && { 'content-type': 'application/json' }),
    ...(status === 405 && { allow: 'POST' }),
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
  });
  response.flushHeaders();
  if (body !== '') response.write(body);
}
