import type { HistoryStore } from '../runs/history/history-store.ts';
import type { BriefRun } from '../runs/run-record.ts';
import { isUuid } from '../scripts/slug.ts';
import { AppError } from '../shared/errors.ts';
import { AgentMistake, repeated, UnknownResource } from './agent.ts';
import type { AgentRuns } from './agent-runs.ts';
import { latestRuns } from './latest-runs.ts';
import type { Offers } from './offers.ts';
import { recordText, resultText, runUri } from './run-answer.ts';

/** The most that an agent gets at once. hob_output returns any part. */
const mostBytes = 1_000_000;

const shownRuns = 20;

const parts = ['stdout', 'stderr', 'result'] as const;

/** The addresses of runs: `hob://runs/<id>`, and below it `stdout`, `stderr` and `result`. */
export const resourceTemplates = [
  {
    uriTemplate: 'hob://runs/{run_id}',
    name: 'Run',
    description: 'The record of a run: its state, times, exit code and result.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'hob://runs/{run_id}/stdout',
    name: 'Output of a run',
    description: 'What the script printed; the end of it if it is larger than 1 MB.',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: 'hob://runs/{run_id}/stderr',
    name: 'Error output of a run',
    description: 'What the script wrote to stderr; the end of it if it is larger than 1 MB.',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: 'hob://runs/{run_id}/result',
    name: 'Result of a run',
    description: 'The envelope of the run.',
    mimeType: 'application/json',
  },
];

interface RunResourcesOptions {
  offers: Offers;
  agentRuns: AgentRuns;
  history: Pick<HistoryStore, 'page'>;
}

/** The runs of offered scripts, as resources. */
export class RunResources {
  readonly #options: RunResourcesOptions;

  constructor(options: RunResourcesOptions) {
    this.#options = options;
  }

  /** The latest runs that agents started. Templates give the addresses of all others. */
  async list(signal: AbortSignal) {
    const { offers, history } = this.#options;
    const offered = new Set((await offers.offered()).map(({ script }) => script.id));
    const isWanted = ({ scriptId }: BriefRun) => offered.has(scriptId);
    const runs = await latestRuns(history, { isAll: false, isWanted, limit: shownRuns }, signal);
    return runs.map(({ runId, scriptName, state, queuedAt }) => ({
      uri: runUri(runId),
      name: `${scriptName}, ${queuedAt}`,
      description: `Run ${runId}: ${state}`,
      mimeType: 'application/json',
    }));
  }

  async read(uri: string): Promise<{ uri: string; mimeType: string; text: string }> {
    const [, runId = '', part] = /^hob:\/\/runs\/([^/?#]+)(?:\/([a-z]+))?$/.exec(uri) ?? [];
    const known = parts.find((one) => one === part);
    if (!isUuid(runId) || (part !== undefined && known === undefined)) throw unknown(uri);
    const found = await this.#options.agentRuns.find(runId).catch((error: unknown) => {
      if (error instanceof AppError || error instanceof AgentMistake) throw unknown(uri);
      throw error;
    });
    const { agentRuns } = this.#options;
    if (known === 'stdout' || known === 'stderr') {
      const { text } = await agentRuns.read(found.run, known, { from: null, mostBytes });
      return { uri, mimeType: 'text/plain', text };
    }
    const record = agentRuns.record(found.run.runId);
    const text = known === 'result' ? resultText(record) : recordText(record, found.asked.toolName);
    return { uri, mimeType: 'application/json', text };
  }
}

function unknown(uri: string): UnknownResource {
  return new UnknownResource(
    `There is no resource ${repeated(uri)}. hob_runs lists the runs that you may read, as hob://runs/<run_id>.`,
  );
}
