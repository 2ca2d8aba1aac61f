import type { Feed } from '../shared/feed.ts';
import type { RunEvent } from './ledger.ts';
import type { RunStore } from './run-store.ts';

interface RunEndsOptions {
  events: Feed<RunEvent>;
  store: Pick<RunStore, 'findBrief'>;
}

/**
 * Lets many callers wait for the ends of runs. They share one listener, so the end of a run does no work for callers
 * that wait for other runs.
 */
export class RunEnds {
  readonly #store: RunEndsOptions['store'];
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor({ events, store }: RunEndsOptions) {
    this.#store = store;
    events.subscribe(({ type, run }) => {
      if (type !== 'ended') return;
      for (const wake of this.#waiting.get(run.runId) ?? []) wake();
    });
  }

  /** Number of waiting callers. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Resolves when the run has ended or was removed, or when the signal is aborted. */
  wait(runId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(runId) ?? new Set();
      const wake = () => {
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(runId) === waiting) this.#waiting.delete(runId);
        resolve();
      };
      this.#waiting.set(runId, waiting.add(wake));
      signal.addEventListener('abort', wake, { once: true });
      // Check after registering: an end between the check and the registration would be missed.
      if (signal.aborted || this.#hasEnded(runId)) wake();
    });
  }

  #hasEnded(runId: string): boolean {
    const run = this.#store.findBrief(runId);
    return run === null || run.endedAt !== null;
  }
}
