import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import type { Logger } from '../shared/log.ts';
import { defect } from './agent.ts';
import { AgentTools } from './agent-tools.ts';
import { answerError } from './answer-error.ts';
import type { Endpoint } from './endpoint.ts';
import type { Offers } from './offers.ts';
import { RunResources } from './resources.ts';

type McpOptions = ConstructorParameters<typeof AgentTools>[0] & {
  offers: Offers;
  version: string;
  log: Logger;
};

/** Enough for all programs of a person. */
const mostSessions = 200;
const sessionIdleMs = 60 * 60_000;

/** Answers are written at once. */
const longestAnswerMs = 2000;

/** The code of JSON-RPC. */
const internalError = -32603;

/** Changes of several scripts within this time are announced once. */
const announceAfterMs = 200;

/** Scripts as tools for agents. Nothing of the protocol is loaded before the first request. */
export class Mcp {
  readonly #options: McpOptions;
  readonly #tools: AgentTools;
  #endpoint: Promise<Endpoint> | null = null;
  #unsubscribe = (): void => {};
  #announcement: NodeJS.Timeout | undefined;

  constructor(options: McpOptions) {
    this.#options = options;
    this.#tools = new AgentTools(options);
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    await (await this.#loaded()).handle(request, response, body);
  }

  /** Answers a request that failed. */
  answerDefect(response: ServerResponse, error: unknown): void {
    this.#options.log.error({ err: error }, 'cannot handle a request of an agent');
    if (response.headersSent) response.destroy();
    else answerError(response, 500, { code: internalError, message: defect });
  }

  /** Answers all open calls, and ends the streams that would never end. */
  async close(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#announcement);
    const endpoint = await this.#endpoint?.catch(() => null);
    // A client that does not read its answer must not delay the stop.
    await Promise.race([endpoint?.allAnswered(), pause(longestAnswerMs, undefined, { ref: false })]);
    await endpoint?.close();
  }

  #loaded(): Promise<Endpoint> {
    if (this.#endpoint !== null) return this.#endpoint;
    const loading = this.#load();
    this.#endpoint = loading;
    // The next request tries again.
    loading.catch(() => {
      if (this.#endpoint === loading) this.#endpoint = null;
    });
    return loading;
  }

  async #load(): Promise<Endpoint> {
    const { Endpoint } = await import('./endpoint.ts');
    const { offers, log, version } = this.#options;
    const tools = this.#tools;
    const resources = new RunResources({ ...this.#options, agentRuns: tools.runs });
    const endpoint = new Endpoint({ tools, resources, version, log, mostSessions, sessionIdleMs });
    let known = JSON.stringify(await tools.list());
    const announce = async () => {
      this.#announcement = undefined;
      const current = JSON.stringify(await tools.list());
      if (current !== known) endpoint.toolsChanged();
      known = current;
    };
    const reportFailure = (error: unknown) =>
      log.error({ err: error }, 'cannot tell agents that their tools have changed');
    this.#unsubscribe = offers.changed.subscribe(() => {
      this.#announcement ??= setTimeout(() => void announce().catch(reportFailure), announceAfterMs);
    });
    return endpoint;
  }
}
