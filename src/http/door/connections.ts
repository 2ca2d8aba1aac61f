import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

interface ConnectionLimits {
  /** Connections at once. One more is let in far enough to be told that there is no room. */
  readonly most: number;
  /** Beyond so many, those that wait for their next request are closed: each takes a file handle that a run may need. */
  readonly mostIdle: number;
  /** How long a client may pause while it sends a request, and how long until one that does not read its answer counts as stuck. */
  readonly pauseMs: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** So many more are let in to be refused; who comes then is not even told. */
const mostRefusedAtOnce = 100;
const refusedWithinMs = 5000;

/** Keeps the number of connections in bounds, and those short that take up room without getting on. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #servers: Server[] = [];
  readonly #open = new Set<Socket>();
  /** Those that came when there was no room, and have no place yet. */
  readonly #late = new Set<Socket>();
  readonly #exchanges = new WeakMap<Duplex, Exchange>();
  /** Clients that did not read, with what they left unread. */
  readonly #stuck = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get most(): number {
    return this.#limits.most;
  }

  /** `onPause` is called for a client that stopped in the middle of its request. */
  watch(server: Server, onPause: (exchange: Exchange, socket: Socket) => void): void {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.setTimeout(this.#limits.pauseMs, (socket: Socket) => {
      const exchange = this.#exchanges.get(socket);
      // Node itself refuses who is late with its first header.
      if (exchange === undefined) return;
      if (exchange.response.writableFinished) socket.destroy();
      else if (!exchange.request.complete) onPause(exchange, socket);
      // There may be a person at the other end who reads page by page: it is cut off when its place is needed.
      else if (socket.writableLength > 0)
        this.#stuck.set(socket, socket.bytesWritten - socket.writableLength);
    });
  }

  /** The answer to the latest request on a connection. */
  latestAnswer(socket: Duplex): ServerResponse | null {
    return this.#exchanges.get(socket)?.response ?? null;
  }

  /** A request has come. False when there is no room for it. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    this.#exchanges.set(socket, { request, response });
    if (!this.#late.has(socket)) return true;
    if (this.#taken >= this.#limits.most) return false;
    this.#late.delete(socket);
    return true;
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
    const { most, mostIdle } = this.#limits;
    if (this.#taken > Math.min(most, mostIdle)) {
      for (const server of this.#servers) server.closeIdleConnections();
    }
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

  #closeStuck(): void {
    for (const [socket, taken] of this.#stuck) {
      this.#stuck.delete(socket);
      if (socket.writableLength > 0 && socket.bytesWritten - socket.writableLength === taken)
        socket.destroy();
    }
  }
}
