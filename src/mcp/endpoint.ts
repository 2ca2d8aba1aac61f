import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
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
  readonly #sessions: Sessions;
  readonly #log: Logger;
  /** The calls whose answer is not sent completely. */
  readonly #calls = new Set<Promise<void>>();

  constructor(options: EndpointOptions) {
    const { log, mostSessions, sessionIdleMs } = options;
    this.#log = log;
    this.#stateless = statelessHandler({ ...options, mostStreams: mostSessions });
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
    if (hasCall(body)) this.#noteCall(response);
    const { method = '', headers } = request;
    const { kind } = classifyInboundRequest({ httpMethod: method, ...routingHeaders(headers), body });
    if (kind === 'legacy') await this.#sessions.handle(request, response, body);
    else await this.#handleStateless(request, response, body);
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

  /** The library gets only the parsed body: it would write it as text again, which takes long for a large one and fails for a deep one. */
  async #handleStateless(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const { method = '', url = '' } = request;
    const { 'content-length': _, ...headers } = request.headers;
    const handle = toNodeHandler(
      { fetch: (asked) => this.#stateless.fetch(asked, { parsedBody: body }) },
      { onerror: (error) => this.#log.error({ err: error }, 'cannot answer an MCP request') },
    );
    await handle({ method, url, headers, async *[Symbol.asyncIterator]() {} }, response);
  }

  #noteCall(response: ServerResponse): void {
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    this.#calls.add(answered);
    void answered.then(() => this.#calls.delete(answered));
  }
}

/** Clients of 2025-03-26 send several messages at once. */
function hasCall(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => isJsonObject(message) && message.method === 'tools/call');
}

/** The headers that the protocol of a request depends on. */
function routingHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const fields = {
    protocolVersionHeader: headers['mcp-protocol-version'],
    mcpMethodHeader: headers['mcp-method'],
    mcpNameHeader: headers['mcp-name'],
  };
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
