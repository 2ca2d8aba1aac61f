import type { HistoryStore } from '../runs/history/history-store.ts';
import type { StreamName } from '../runs/output/run-outputs.ts';
import type { BriefRun } from '../runs/run-record.ts';
import { isUuid } from '../scripts/slug.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { AgentMistake, type AgentRequest, repeated, type ToolAnswer, textAnswer } from './agent.ts';
import type { AgentRuns } from './agent-runs.ts';
import { latestRuns } from './latest-runs.ts';
import type { AgentScript, Offers } from './offers.ts';
import { runLine } from './run-answer.ts';
import { longestCharacter } from './run-output.ts';
import { scriptTool, type ToolDefinition } from './script-tool.ts';

/** Beyond this number of tools agents choose worse, and some clients leave tools out. */
export const manyScripts = 40;

interface HobToolsOptions {
  offers: Offers;
  agentRuns: AgentRuns;
  history: Pick<HistoryStore, 'page'>;
  /** Calls the tool of a script by its name. */
  callScript: (name: string, args: JsonObject, request: AgentRequest) => Promise<ToolAnswer>;
}

interface HobTool {
  readonly definition: ToolDefinition;
  /** Whether it is offered only beside many scripts. */
  readonly isForMany?: boolean;
  call(args: JsonObject, request: AgentRequest): Promise<ToolAnswer>;
}

const shownFound = 10;
const mostFound = 50;
const shownRuns = 20;
const mostRuns = 100;
const shownBytes = 20_000;
const mostBytes = 200_000;

/** The tools of Hob itself: to find scripts, and to follow runs. */
export function hobTools(options: HobToolsOptions): HobTool[] {
  return tools(options).map((tool) => ({
    ...tool,
    async call(args, request) {
      refuseUnknown(args, tool.definition);
      return tool.call(args, request);
    },
  }));
}

function tools({ offers, agentRuns, history, callScript }: HobToolsOptions): HobTool[] {
  const runId = { type: 'string', description: 'The id of the run.' } as const;
  return [
    {
      isForMany: true,
      definition: {
        name: 'hob_find',
        title: 'Find scripts',
        description:
          'Finds the tools of scripts by words in their names, descriptions and tags. Returns each with the arguments that it takes. Call a found tool by its name, or with hob_run if your client does not list it.',
        inputSchema: object(
          {
            query: { type: 'string', description: 'Words. Empty: the first scripts.' },
            limit: count(mostFound, `Default: ${shownFound}.`),
          },
          ['query'],
        ),
        annotations: reading,
      },
      async call(args) {
        const words = textOf(args, 'query').toLowerCase().split(/\s+/).filter(Boolean);
        const limit = countOf(args, 'limit', { normal: shownFound, most: mostFound });
        const all = await offers.offered();
        const found = search(all, words);
        if (found.length === 0)
          return textAnswer(
            `No script matches. There are ${all.length} scripts; try fewer or other words, or an empty query.`,
          );
        const shown = found.slice(0, limit).map((one) => {
          const { name, title, description, inputSchema } = scriptTool(one);
          return JSON.stringify({ name, title, description, inputSchema });
        });
        const more = found.length > limit ? `\n${found.length - limit} more match.` : '';
        return textAnswer(`${shown.join('\n')}${more}`);
      },
    },
    {
      isForMany: true,
      definition: {
        name: 'hob_run',
        title: 'Run a script',
        description: 'Calls the tool of a script that hob_find has found.',
        inputSchema: object(
          {
            tool: { type: 'string', description: 'The name of the tool.' },
            arguments: { type: 'object', description: 'Its arguments.' },
          },
          ['tool'],
        ),
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
      async call(args, request) {
        const given = args.arguments ?? {};
        if (!isJsonObject(given))
          throw new AgentMistake('arguments must be an object with the arguments of the tool.');
        return callScript(textOf(args, 'tool'), given, request);
      },
    },
    {
      definition: {
        name: 'hob_runs',
        title: 'List runs',
        description:
          'Lists the latest runs of the scripts that are offered to you, the newest first. By default those that you started.',
        inputSchema: object({
          all: { type: 'boolean', description: 'true: also those that others started.' },
          limit: count(mostRuns, `Default: ${shownRuns}.`),
        }),
        annotations: reading,
      },
      async call(args, request) {
        const isAll = flagOf(args, 'all');
        const limit = countOf(args, 'limit', { normal: shownRuns, most: mostRuns });
        const byScript = new Map((await offers.offered()).map((one) => [one.script.id, one]));
        const isWanted = ({ scriptId, client }: BriefRun) =>
          byScript.has(scriptId) && (isAll || client === request.client);
        const runs = await latestRuns(history, { isAll, isWanted, limit }, request.signal);
        const lines = runs.map((run) => runLine(run, byScript.get(run.scriptId)?.toolName ?? null));
        const none = isAll
          ? 'There are no runs.'
          : 'You have started no runs. Pass all = true for those of others.';
        return textAnswer(lines.length === 0 ? none : lines.join('\n'));
      },
    },
    {
      definition: {
        name: 'hob_wait',
        title: 'Wait for a run',
        description:
          'Waits for the end of a run, for at most 45 seconds, and returns its result. Call it again if the run is still running.',
        inputSchema: object({ run_id: runId }, ['run_id']),
        annotations: reading,
      },
      async call(args, request) {
        const { run } = await agentRuns.find(runIdOf(args));
        return agentRuns.follow(run.firstRunId ?? run.runId, request);
      },
    },
    {
      definition: {
        name: 'hob_output',
        title: 'Read the output of a run',
        description: `Returns what a run has printed: the last ${shownBytes} bytes, or a part from \`offset\`.`,
        inputSchema: object(
          {
            run_id: runId,
            stream: { type: 'string', enum: ['stdout', 'stderr'], description: 'Default: stdout.' },
            offset: {
              type: 'integer',
              minimum: 0,
              description: 'The byte to begin with. To follow a run, pass the `next` of the last answer.',
            },
            limit: count(mostBytes, `Bytes. Default: ${shownBytes}.`, longestCharacter),
          },
          ['run_id'],
        ),
        annotations: reading,
      },
      async call(args) {
        const { run } = await agentRuns.find(runIdOf(args));
        const offset = args.offset ?? null;
        if (offset !== null && (!Number.isSafeInteger(offset) || Number(offset) < 0))
          throw new AgentMistake('offset must be a number of bytes, 0 or more.');
        const { text, from, to, endBytes, isLive } = await agentRuns.read(run, streamOf(args), {
          from: offset === null ? null : Number(offset),
          mostBytes: countOf(args, 'limit', { normal: shownBytes, least: longestCharacter, most: mostBytes }),
        });
        const next = isLive || to < endBytes ? `, next = ${to}` : '';
        const head = `[bytes ${from} to ${to} of ${endBytes}${isLive ? ' so far' : ''}${next}]`;
        return textAnswer(`${head}\n${text}`);
      },
    },
    {
      definition: {
        name: 'hob_cancel',
        title: 'Cancel a run',
        description: 'Stops a run that you started, with all processes that it started.',
        inputSchema: object({ run_id: runId }, ['run_id']),
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      async call(args, request) {
        const id = runIdOf(args);
        await agentRuns.cancel(id, request);
        return textAnswer(`The run ${id} is being stopped. hob_wait returns how it ended.`);
      },
    },
  ];
}

const reading = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** The scripts that contain all words, otherwise those that contain some. A word in the name counts most. */
function search(all: readonly AgentScript[], words: readonly string[]): AgentScript[] {
  if (words.length === 0) return [...all];
  const scored = all.map((one) => {
    const { script, toolName } = one;
    const name = `${script.name} ${toolName}`.toLowerCase();
    const rest = `${script.description ?? ''} ${script.tags.join(' ')}`.toLowerCase();
    const scores = words.map((word) => (name.includes(word) ? 2 : rest.includes(word) ? 1 : 0));
    const score = scores.reduce<number>((sum, each) => sum + each, 0);
    return { one, score, hasAll: !scores.includes(0) };
  });
  const found = scored.some(({ hasAll }) => hasAll) ? scored.filter(({ hasAll }) => hasAll) : scored;
  return found
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}

function object(properties: JsonObject, required: string[] = []): ToolDefinition['inputSchema'] {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function count(maximum: number, description: string, minimum = 1): JsonObject {
  return { type: 'integer', minimum, maximum, description };
}

/** A misspelt argument would be left out without a word. */
function refuseUnknown(args: JsonObject, { name, inputSchema }: ToolDefinition): void {
  const known = Object.keys(Object(inputSchema.properties));
  const unknown = Object.keys(args).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const hint = name === 'hob_run' ? ' The arguments of the tool belong into `arguments`.' : '';
  throw new AgentMistake(
    `${name} has no argument "${repeated(unknown)}". It has these: ${known.join(', ')}.${hint}`,
  );
}

function textOf(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new AgentMistake(`Pass ${name} as a text.`);
  return value;
}

function runIdOf(args: JsonObject): string {
  const id = textOf(args, 'run_id').trim();
  if (!isUuid(id)) throw new AgentMistake('run_id must be the id of a run. hob_runs lists them.');
  return id;
}

function flagOf(args: JsonObject, name: string): boolean {
  const value = args[name] ?? false;
  if (typeof value !== 'boolean') throw new AgentMistake(`${name} must be true or false.`);
  return value;
}

function countOf(
  args: JsonObject,
  name: string,
  { normal, least = 1, most }: { normal: number; least?: number; most: number },
): number {
  const value: Json = args[name] ?? normal;
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
    throw new AgentMistake(`${name} must be an integer from ${least} to ${most}.`);
  return Number(value);
}

function streamOf(args: JsonObject): StreamName {
  const stream = args.stream ?? 'stdout';
  if (stream !== 'stdout' && stream !== 'stderr') throw new AgentMistake('stream must be stdout or stderr.');
  return stream;
}
