import { AppError } from '../../shared/errors.ts';
import type { Caller } from '../run.ts';
import type { TokenOwner } from '../run-store.ts';
import type { Connection, TracedCaller } from './trace-caller.ts';

interface BareCallersOptions {
  store: { find(runId: string): TokenOwner | null };
  /** The leading process of every executing run, with the id of that run. */
  livePids: () => ReadonlyMap<number, string>;
  maxRuns: number;
  trace: (connection: Connection, live: ReadonlyMap<number, string>) => Promise<TracedCaller>;
}

/** Identifies the runs of callers that send a link without a run token. */
export class BareCallers {
  readonly #options: BareCallersOptions;
  /**
   * Limit of concurrent links from untraced callers. A script that links to itself and cannot be traced begins a new
   * chain each time, so the depth limit never stops it. This limit is below the number of slots: the next link is
   * refused instead of waiting for a slot that only the same chain could release.
   */
  readonly #maxUntraced: number;
  #untraced = 0;

  constructor(options: BareCallersOptions) {
    this.#options = options;
    this.#maxUntraced = Math.max(1, options.maxRuns - 1);
  }

  /**
   * Returns the run that opened this connection, or null for a caller outside of runs. An untraceable caller counts as
   * outside, and takes one of a few places until `answered` is aborted. It is refused if no place is free.
   */
  async identify(connection: Connection | null, answered: AbortSignal): Promise<Caller> {
    const { store, livePids, trace } = this.#options;
    const traced: TracedCaller =
      connection === null ? { kind: 'unknown' } : await trace(connection, livePids());
    if (traced.kind === 'unknown') this.#takePlace(answered);
    const record = traced.kind === 'run' ? store.find(traced.runId) : null;
    return record === null ? null : { runId: record.runId, depth: record.depth };
  }

  #takePlace(answered: AbortSignal): void {
    // The caller has already disconnected.
    if (answered.aborted) return;
    if (this.#untraced >= this.#maxUntraced) throw untracedLinksFull();
    this.#untraced++;
    answered.addEventListener('abort', () => this.#untraced--, { once: true });
  }
}

function untracedLinksFull(): AppError {
  return new AppError(
    'untraced-links-full',
    {
      en: 'Hob cannot identify the calling run, and too many such calls are active. Call environment.api_base instead, which identifies the run.',
      zh: 'Hob 无法判断是哪个运行在调用，且此类调用过多。脚本应通过 environment.api_base 调用。',
    },
    { retryAfterS: 5 },
  );
}
