import type { FiringReason } from '../contract/firings.ts';
import { readData, readParams } from '../runs/inputs.ts';
import type { KeyUse } from '../runs/keys/key-store.ts';
import { fingerprint, type KeyedRuns } from '../runs/keys/keyed-runs.ts';
import type { BriefRun } from '../runs/run-record.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { AppError, type ErrorCode } from '../shared/errors.ts';
import type { Language } from '../shared/text.ts';
import type { FiringRequest, FiringResult, FiringRuns } from './firing-runs.ts';
import type { Trigger } from './trigger.ts';

interface TriggeredRunsOptions {
  catalogue: Pick<Catalogue, 'resolve'>;
  runs: Pick<RunService, 'submit' | 'seriesEnds' | 'isSeriesLive'>;
  store: Pick<RunStore, 'unfinished' | 'awaiting' | 'lastAttempt'>;
  keyedRuns: Pick<KeyedRuns, 'once' | 'find'>;
  /** The language of the texts that Hob writes for these runs. */
  language: Language;
}

/** Starts the runs of triggers, and knows which of them have not ended. */
export class TriggeredRuns implements FiringRuns {
  readonly #options: TriggeredRunsOptions;
  /** The first runs of the series that have not ended, by trigger. */
  readonly #live = new Map<string, Set<string>>();
  readonly #listeners = new Set<Parameters<FiringRuns['onEnd']>[0]>();

  constructor(options: TriggeredRunsOptions) {
    this.#options = options;
    const { runs, store } = options;
    for (const { triggerId, runId, firstRunId } of [...store.unfinished(), ...store.awaiting()])
      if (triggerId !== null) this.#note(triggerId, firstRunId ?? runId);
    runs.seriesEnds.subscribe(({ run }) => {
      if (run.triggerId !== null) this.#end(run.triggerId, run);
    });
  }

  async start(request: FiringRequest): Promise<FiringResult> {
    const { trigger, key } = request;
    try {
      if (key === null) {
        const { runId } = await this.#submit(request, undefined);
        return { kind: 'started', runId, isRepeat: false };
      }
      const use = keyUse(trigger, key);
      const { runId, isRepeat } = await this.#options.keyedRuns.once(use, () => this.#submit(request, use));
      return { kind: 'started', runId, isRepeat };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { reason, isLasting } = refusalOf(error.code);
      return { kind: 'refused', reason, error, isLasting };
    }
  }

  find(trigger: Trigger, key: string): string | null {
    return this.#options.keyedRuns.find(keyUse(trigger, key));
  }

  endOf(runId: string): 'live' | 'succeeded' | 'failed' | 'unknown' {
    const { runs, store } = this.#options;
    if (runs.isSeriesLive(runId)) return 'live';
    const last = store.lastAttempt(runId);
    if (last === null) return 'unknown';
    return last.state === 'succeeded' ? 'succeeded' : 'failed';
  }

  isLive(triggerId: string): boolean {
    return this.#live.has(triggerId);
  }

  onEnd(listener: Parameters<FiringRuns['onEnd']>[0]): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async #submit({ trigger, data, params }: FiringRequest, key: KeyUse | undefined) {
    const { catalogue, runs, language } = this.#options;
    const script = await catalogue.resolve(trigger.scriptId);
    const submitted = await runs.submit({
      script,
      origin: trigger.kind,
      triggerId: trigger.id,
      caller: null,
      depth: 0,
      sync: false,
      data: readData(script, data ?? trigger.data),
      params: readParams(script, { ...trigger.params, ...params }),
      language,
      ...(trigger.retries !== undefined && { retries: trigger.retries }),
      ...(key !== undefined && { key }),
    });
    // The run may have ended already.
    if (runs.isSeriesLive(submitted.runId)) this.#note(trigger.id, submitted.runId);
    return submitted;
  }

  #note(triggerId: string, runId: string): void {
    const live = this.#live.get(triggerId) ?? new Set();
    this.#live.set(triggerId, live.add(runId));
  }

  #end(triggerId: string, run: BriefRun): void {
    const runId = run.firstRunId ?? run.runId;
    const live = this.#live.get(triggerId);
    live?.delete(runId);
    if (live?.size === 0) this.#live.delete(triggerId);
    for (const listener of this.#listeners)
      listener({ triggerId, runId, isSuccess: run.state === 'succeeded' });
  }
}

/**
 * The key alone identifies the firing: the data and params of its trigger may have been edited since. No header can contain a NUL, so
 * no request uses the key of a trigger.
 */
function keyUse(trigger: Trigger, key: string): KeyUse {
  return fingerprint({
    key: `\0${key}`,
    scriptId: trigger.scriptId,
    kind: 'json',
    fields: { trigger: trigger.id },
  });
}

function refusalOf(code: ErrorCode): { reason: FiringReason; isLasting: boolean } {
  switch (code) {
    case 'queue-full':
    case 'resources-exhausted':
    case 'executor-unavailable':
    case 'service-stopping':
      return { reason: 'cannot-start', isLasting: false };
    case 'script-unknown':
      return { reason: 'script-missing', isLasting: true };
    case 'data-invalid':
    case 'params-invalid':
      return { reason: 'bad-input', isLasting: true };
    case 'idempotency-run-gone':
      return { reason: 'repeated', isLasting: true };
    default:
      return { reason: 'cannot-start', isLasting: true };
  }
}
