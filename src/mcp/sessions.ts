import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Logger } from '../shared/log.ts';

interface SessionsOptions {
  build: () => Server;
  log: Logger;
  /** Clients that never end their session must not fill the memory. */
  most: number;
  /** A client that was silent for this time begins again. */
  idleMs: number;
}

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
  /** Requests without a complete answer. */
  open: number;
  usedAtMs: number;
}

/** The sessions of clients that speak the protocol of 2025. A session ends with the service; its client then begins another one. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byId = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#removeIdle(), options.idleMs / 4).unref();
  }

  get size(): number {
    return this.#byId.size;
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#byId.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      answerError(response, 404, { code: -32001, message: 'This session has ended. Send initialize again.' });
      return;
    }
    const session = known ?? (await this.#begin(response));
    if (session === null) return;
    session.open++;
    session.usedAtMs = performance.now();
    response.once('close', () => {
      session.open--;
      session.usedAtMs = performance.now();
      // The request was no initialize, so its transport has no id and no client knows it.
      if (session.transport.sessionId === undefined) void session.server.close();
    });
    await session.transport.handleRequest(request, response, body);
  }

  /** Tells the clients that the list of tools has changed. */
  notifyToolsChanged(): void {
    for (const { server } of this.#byId.values()) server.sendToolListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#byId.values()].map(({ server }) => server.close()));
  }

  async #begin(response: ServerResponse): Promise<Session | null> {
    const { build, most, log } = this.#options;
    if (this.#byId.size >= most && !this.#removeOldest()) {
      response.setHeader('retry-after', '5');
      answerError(response, 503, {
        code: -32000,
        message: `Hob has ${most} open sessions, all of them busy. End one, or try again later.`,
      });
      return null;
    }
    const server = build();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#byId.set(id, session);
        log.debug({ sessions: this.#byId.size }, 'an agent began a session');
      },
    });
    const session: Session = { transport, server, open: 0, usedAtMs: performance.now() };
    await server.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#byId.delete(transport.sessionId);
      onclose?.();
    };
    return session;
  }

  #removeIdle(): void {
    const since = performance.now() - this.#options.idleMs;
    for (const session of [...this.#byId.values()])
      if (session.open === 0 && session.usedAtMs < since) void session.server.close();
  }

  /** Ends the session that was silent longest. False if all of them wait for an answer. */
  #removeOldest(): boolean {
    const idle = [...this.#byId.values()].filter(({ open }) => open === 0);
    const [oldest] = idle.sort((one, other) => one.usedAtMs - other.usedAtMs);
    if (oldest === undefined) return false;
    void oldest.server.close();
    return true;
  }
}

export function answerError(
  response: ServerResponse,
  status: number,
  error: { readonly code: number; readonly message: string },
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error, id: null });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
