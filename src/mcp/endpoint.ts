import type { IncomingMessage, ServerResponse } from 'node:http';

import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { isJsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { AgentTools } from './agent-tools.ts';
import { agentServer, statelessHandler } from './protocol.ts';
import type { RunResources } from './resources.ts';
import { Sessions } from './sessions.ts';

export interface EndpointOptions {
  tools: AgentTools;
  resources: RunResources;
  version: string;
  log: Logger;
  mostSessions: number;
  sessionIdleMs: number;
}

/** Answers the requests of agents. It loads the protocol library, so it is loaded with the first request. */
export class Endpoint {
  readonly #stateless: ReturnType<typeof statelessHandler>;
  readonly #handleStateless: ReturnType<typeof toNodeHandler>;
  readonly #sessions: Sessions;
  /** The calls whose answer is not sent completely. */
  readonly #calls = new Set<Promise<void>>();

  constructor(options: EndpointOptions) {
    const { log, mostSessions, sessionIdleMs } = options;
    this.#stateless = statelessHandler(options);
    this.#handleStateless = toNodeHandler(this.#stateless, {
      onerror: (error) => log.error({ err: error }, 'cannot answer an MCP request'),
    });
    this.#sessions = new Sessions({
      build: () => agentServer(options),
      log,
      most: mostSessions,
      idleMs: sessionIdleMs,
    });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** `body`: the parsed body; undefined if there is none. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const { method = '', url = '', headers } = request;
    // Fastify has read the body.
    if (isJsonObject(body) && body.method === 'tools/call') this.#noteCall(response);
    const head = { method, url, headers, async *[Symbol.asyncIterator]() {} };
    const isOlder = method !== 'POST' || (await isLegacyRequest(await toWebRequest(head, body), body));
    if (isOlder) await this.#sessions.handle(request, response, body);
    else await this.#handleStateless(head, response, body);
  }

  toolsChanged(): void {
    this.#stateless.notify.toolsChanged();
    this.#sessions.notifyToolsChanged();
  }

  /** Resolves when all calls have their answer, which is soon when the service stops. */
  async allAnswered(): Promise<void> {
    await Promise.all(this.#calls);
  }

  async close(): Promise<void> {
    await Promise.all([this.#stateless.close(), this.#sessions.close()]);
  }

  #noteCall(response: ServerResponse): void {
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    this.#calls.add(answered);
    void answered.then(() => this.#calls.delete(answered));
  }
}
