import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Text } from '../../shared/text.ts';

export interface ConnectionLimits {
  /** Connections at once. One more is let in far enough to be told that there is no room. */
  readonly most: number;
  /** By what they are limited, for people. */
  readonly reason: Text;
  /** Beyond so many, those that wait for their next request are closed: each takes a file handle that a run may need. */
  readonly mostIdle: number;
  /** How long a client may pause while it sends a request, and how long until one that does not read its answer counts as stuck. */
  readonly pauseMs: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** How much had come on the connection when the answer was through. */
  bytesReadAtEnd: number | null;
}

/** So many more are let in to be refused; who comes then is not even told. */
const mostRefusedAtOnce = 100;
const refusedWithinMs = 5000;

/** Where there is no room for others, these are needed most. */
const alwaysAnswered = new Set(['/api/health', '/api/stop']);

/** Keeps the number of connections in bounds, and those short that take up room without getting on. */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #open = new Set<Socket>();
  /** Those that came when there was no room, and have no place yet. */
  readonly #late = new Set<Socket>();
  readonly #exchanges = new WeakMap<Duplex, Exchange>();
  /** Those that are closed for whatever else comes on them. */
  readonly #over = new WeakSet<Duplex>();
  /** Clients that did not read, with how much they had taken. */
  readonly #stuck = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.limits = limits;
  }

  /** `onPause` is called for a client that stopped in the middle of its request. */
  watch(server: Server, onPause: (answer: ServerResponse, socket: Socket) => void): void {
    // Node takes a connection for idle as soon as its answer was handed over, however much of it is still to be sent.
    server.closeIdleConnections = () => this.#closeIdle(server);
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.setTimeout(this.limits.pauseMs, (socket: Socket) => {
      const exchange = this.#exchanges.get(socket);
      // Node itself refuses who is late with its first header.
      if (exchange === undefined) return;
      if (exchange.response.writableFinished) socket.destroy();
      else if (!exchange.request.complete) onPause(exchange.response, socket);
      // There may be a person at the other end who reads page by page: it is cut off when its place is needed.
      else if (socket.writableLength > 0) this.#stuck.set(socket, takenOf(socket));
    });
  }

  /** The answer to the latest request on a connection. */
  latestAnswer(socket: Duplex): ServerResponse | null {
    return this.#exchanges.get(socket)?.response ?? null;
  }

  /** A request has come. False when its connection is closed for it. */
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

  /** Whether there is a place for a request that has come. */
  hasRoom({ socket, url }: IncomingMessage): boolean {
    if (!this.#late.has(socket)) return true;
    if (this.#taken < this.limits.most) {
      this.#late.delete(socket);
      return true;
    }
    if (!alwaysAnswered.has(url ?? '')) return false;
    // It is closed in a moment: a client that took it for open would lose its next request on it.
    const answer = this.latestAnswer(socket);
    if (answer !== null) answer.shouldKeepAlive = false;
    return true;
  }

  /** Nothing that comes on this connection from now on is looked at. */
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
    // What is closed here gives its place back a moment later, in time for the request.
    this.#late.add(socket);
    this.#closeStuck();
    if (this.#late.size > mostRefusedAtOnce) {
      socket.destroy();
      return;
    }
    // Whoever has no place may not take one by saying nothing.
    const limit = setTimeout(() => {
      if (this.#late.has(socket)) socket.destroy();
    }, refusedWithinMs);
    socket.once('close', () => clearTimeout(limit));
  }

  /** Closes the connections that wait for their next request: their last answer is through, and nothing came since. */
  #closeIdle(server?: Server): void {
    for (const socket of this.#open) {
      const exchange = this.#exchanges.get(socket);
      const isIdle = exchange?.request.complete && exchange.bytesReadAtEnd === socket.bytesRead;
      // It was told all that it will be, and only its own side is open still.
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
