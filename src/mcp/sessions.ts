import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import { isJsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import { answerError } from './answer-error.ts';

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
  /** Calls without a complete answer. */
  calls: number;
  /** Open streams for messages of Hob. */
  streams: number;
  usedAtMs: number;
}

/** The sessions of clients that speak the protocol of 2025. A session ends with the service; its client then begins another one. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** All sessions, also those whose client has no answer to its initialize yet. */
  readonly #sessions = new Set<Session>();
  readonly #byId = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#removeIdle(), options.idleMs / 4).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#byId.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      answerError(response, 404, { code: -32001, message: 'This session has ended. Send initialize again.' });
      return;
    }
    if (known === undefined && !isInitialize(body)) {
      answerError(response, 400, {
        code: -32000,
        message:
          'This request belongs to no session. Send initialize first, then send the Mcp-Session-Id of its answer with each request.',
      });
      return;
    }
    const session = known ?? (await this.#begin(response));
    if (session === null) return;
    const kind = request.method === 'GET' ? 'streams' : 'calls';
    session[kind]++;
    session.usedAtMs = performance.now();
    response.once('close', () => {
      session[kind]--;
      session.usedAtMs = performance.now();
      // The initialize was refused, so its transport has no id and no client knows it.
      if (session.transport.sessionId === undefined) void session.server.close();
    });
    await session.transport.handleRequest(request, response, body);
  }

  /** Tells the clients that the list of tools has changed. */
  notifyToolsChanged(): void {
    for (const { server } of this.#sessions) server.sendToolListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions].map(({ server }) => server.close()));
  }

  async #begin(response: ServerResponse): Promise<Session | null> {
    const { build, most, log } = this.#options;
    if (this.#sessions.size >= most && !this.#removeOldest()) {
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
        log.debug({ sessions: this.#sessions.size }, 'an agent began a session');
      },
    });
    const session: Session = { transport, server, calls: 0, streams: 0, usedAtMs: performance.now() };
    this.#sessions.add(session);
    await server.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#sessions.delete(session);
      if (transport.sessionId !== undefined) this.#byId.delete(transport.sessionId);
      onclose?.();
    };
    return session;
  }

  #removeIdle(): void {
    const since = performance.now() - this.#options.idleMs;
    for (const { calls, streams, usedAtMs, server } of [...this.#sessions])
      if (calls + streams === 0 && usedAtMs < since) void server.close();
  }

  /** Ends the session that was silent longest, one without a stream if possible. False if all of them wait for an answer. */
  #removeOldest(): boolean {
    const idle = [...this.#sessions].filter(({ calls }) => calls === 0);
    const [oldest] = idle.sort((one, other) => one.streams - other.streams || one.usedAtMs - other.usedAtMs);
    if (oldest === undefined) return false;
    void oldest.server.close();
    return true;
  }
}

/** Only this request begins a session, alone or as the only message of a batch. */
function isInitialize(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => isJsonObject(message) && message.method === 'initialize');
}
