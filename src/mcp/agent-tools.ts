import type { HistoryStore } from '../runs/history/history-store.ts';
import { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import {
  AgentMistake,
  type AgentRequest,
  errorAnswer,
  repeated,
  type ToolAnswer,
  UnknownTool,
} from './agent.ts';
import { AgentRuns, type AgentRunsOptions, refusalText } from './agent-runs.ts';
import { hobTools, manyScripts } from './hob-tools.ts';
import type { Offers } from './offers.ts';
import { scriptTool, type ToolDefinition } from './script-tool.ts';

interface AgentToolsOptions extends AgentRunsOptions {
  offers: Offers;
  history: Pick<HistoryStore, 'page'>;
}

/** All tools that agents have: one for each offered script, and those of Hob. */
export class AgentTools {
  readonly runs: AgentRuns;
  readonly #options: AgentToolsOptions;
  readonly #own: ReturnType<typeof hobTools>;
  #listed: { offered: unknown; tools: readonly ToolDefinition[] } | null = null;

  constructor(options: AgentToolsOptions) {
    this.#options = options;
    this.runs = new AgentRuns(options);
    this.#own = hobTools({
      ...options,
      agentRuns: this.runs,
      callScript: (name, args, request) => this.#callScript(name, args, request),
    });
  }

  /** Clients that leave tools out leave out the last ones, so those of Hob come first. */
  async list(): Promise<readonly ToolDefinition[]> {
    const offered = await this.#options.offers.offered();
    if (this.#listed?.offered !== offered) {
      const isMany = offered.length > manyScripts;
      const own = this.#own.filter(({ isForMany }) => isMany || isForMany !== true);
      const tools = [...own.map(({ definition }) => definition), ...offered.map(scriptTool)];
      this.#listed = { offered, tools };
    }
    return this.#listed.tools;
  }

  async call(name: string, args: JsonObject, request: AgentRequest): Promise<ToolAnswer> {
    try {
      const own = this.#own.find(({ definition }) => definition.name === name);
      return await (own ? own.call(args, request) : this.#callScript(name, args, request));
    } catch (error) {
      if (error instanceof AgentMistake) return errorAnswer(error.message);
      if (error instanceof AppError) return errorAnswer(refusalText(error));
      throw error;
    }
  }

  async #callScript(name: string, args: JsonObject, request: AgentRequest): Promise<ToolAnswer> {
    const asked = await this.#options.offers.find(name);
    if (asked === null)
      throw new UnknownTool(
        `There is no tool "${repeated(name)}". Its script may have been removed, or the user no longer offers it. List the tools again.`,
      );
    return this.runs.call(asked, args, request);
  }
}
