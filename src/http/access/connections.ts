import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Text } from '../../shared/text.ts';

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
