import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Logger } from '../shared/log.ts';
import { AgentTools } from './agent-tools.ts';
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
    this.#endpoint ??= this.#load();
    await (await this.#endpoint).handle(request, response, body);
  }

  reportDefect(error: unknown): void {
    this.#options.log.error({ err: error }, 'cannot handle a request of an agent');
  }

  /** Answers all open calls, and ends the streams that would never end. */
  async close(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#announcement);
    const endpoint = await this.#endpoint;
    await endpoint?.allAnswered();
    await endpoint?.close();
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
    this.#unsubscribe = offers.changed.subscribe(() => {
      this.#announcement ??= setTimeout(() => void announce(), announceAfterMs);
    });
    return endpoint;
  }
}
