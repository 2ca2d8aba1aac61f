import type { Logger } from '../shared/log.ts';
import type { LiveRuns } from './live-runs.ts';
import type { BriefRun, RunEnding, RunRecord } from './run-record.ts';
import type { RunServiceOptions } from './run-request.ts';

/** What became of a run, to be written down. */
interface KnownEnd {
  readonly run: { readonly record: Pick<RunRecord, 'runId'>; readonly log: Logger };
  readonly ending: RunEnding;
  /** It was not started, and its caller is told so: whoever asks again is not to be given this run. */
  readonly isRefused: boolean;
}

type EndRecorderOptions = Pick<RunServiceOptions, 'store' | 'events' | 'executor' | 'keys'>;

/** Ends of this time are written down together, which costs hardly more than one. */
const pauseMs = 16;
/** So few are written down in less time than a small script takes. */
const few = 2;
/** How long until an end that could not be written down is tried again: a full disk has to be cleared by somebody. */
const retryMs = 1000;

/** Puts ends on record, in the order in which they came. */
export class EndRecorder {
  readonly #options: EndRecorderOptions;
  readonly #live: LiveRuns;
  readonly #pending: KnownEnd[] = [];
  #soon: NodeJS.Timeout | undefined;

  constructor(options: EndRecorderOptions, live: LiveRuns) {
    this.#options = options;
    this.#live = live;
  }

  record(end: KnownEnd): void {
    this.#pending.push(end);
    this.settle();
  }

  /**
   * For an end that the executor keeps until it is on record: if we were killed before, the next service would hear of it. Neither the
   * answer to its caller nor the next run has to wait for that. Whoever wants to read what is on record calls `settle` first.
   */
  recordSoon(end: KnownEnd): void {
    this.#pending.push(end);
    this.#soon ??= setTimeout(() => this.settle(), pauseMs).unref();
  }

  /** To be called when another run has just been started, and nobody waits for anything but its end. */
  settleFew(): void {
    if (this.#pending.length <= few) this.settle();
  }

  /** Writes down what is known. Never throws: what cannot be written now is written when there is room. */
  settle(): void {
    if (this.#pending.length === 0) return;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const ends = this.#pending.splice(0);
    try {
      this.#write(ends);
    } catch (error) {
      if (!this.#options.store.isOpen) return;
      // One that cannot be written must not hold back the others.
      if (ends.length > 1) for (const end of ends) this.record(end);
      else for (const end of ends) this.#putOff(end, error);
    }
  }

  #putOff(end: KnownEnd, error: unknown): void {
    end.run.log.error({ err: error }, 'cannot record the end of a run yet');
    setTimeout(() => this.record(end), retryMs).unref();
  }

  #write(ends: readonly KnownEnd[]): void {
    const { store, events, executor } = this.#options;
    const ended = events.end(
      ends.map(({ run, ending, isRefused }) => {
        const { runId } = run.record;
        const finish = () => (isRefused ? this.#finishRefused(runId, ending) : store.finish(runId, ending));
        return { runId, finish };
      }),
    );
    for (const { run, ending } of ends) {
      const { runId } = run.record;
      if (ended.has(runId)) {
        run.log.info(
          { cause: ending.endCause, exitCode: ending.exitCode, ms: ending.durationMs },
          'run ended',
        );
      }
      executor.acknowledge(runId);
      // Not before: what is not on record could still be stopped, and would be taken up by the next service.
      this.#live.remove(runId);
    }
  }

  #finishRefused(runId: string, ending: RunEnding): BriefRun | null {
    const { store, keys } = this.#options;
    const finish = () => {
      keys.release(runId);
      return store.finish(runId, ending);
    };
    return store.atomically(finish, { durable: false });
  }
}
