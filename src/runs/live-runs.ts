import type { StopCause } from '../execution/messages.ts';
import type { Feed } from '../shared/feed.ts';
import type { RunEvent } from './ledger.ts';
import type { Run } from './run.ts';
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

/** Reason for which the signal of a run is aborted. */
export class StopRequest extends Error {
  readonly stopCause: StopCause;

  constructor(stopCause: StopCause) {
    super(`the run is to be stopped: ${stopCause}`);
    this.name = 'StopRequest';
    this.stopCause = stopCause;
  }
}

/** Returns the cause of the stop. Once a run is admitted, only a request to stop it aborts its signal. */
export function stopCauseOf(signal: AbortSignal): StopCause {
  return signal.reason instanceof StopRequest ? signal.reason.stopCause : 'cancelled';
}

/** The runs that have no end on record. Stopping a run also stops the runs that it waits for. */
export class LiveRuns {
  readonly #runs = new Map<string, Run>();
  /** The runs that a run waits for, by its id. A search through all runs took seconds when thousands were queued. */
  readonly #children = new Map<string, Set<Run>>();
  /** Runs that are being stopped, by a request or by their time limit. They may not start runs to wait for. */
  readonly #closing = new Set<string>();
  #onEmpty: (() => void)[] = [];

  add(run: Run): void {
    const { runId, parentRunId, sync } = run.record;
    this.#runs.set(runId, run);
    if (!sync || parentRunId === null) return;
    const siblings = this.#children.get(parentRunId) ?? new Set();
    this.#children.set(parentRunId, siblings.add(run));
  }

  get(runId: string): Run | undefined {
    return this.#runs.get(runId);
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  some(fits: (run: Run) => boolean): boolean {
    return [...this.#runs.values()].some(fits);
  }

  remove(runId: string): void {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    const parent = run?.record.parentRunId ?? '';
    const siblings = this.#children.get(parent);
    if (run !== undefined && siblings?.delete(run) && siblings.size === 0) this.#children.delete(parent);
    this.#closing.delete(runId);
    if (this.#runs.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Returns whether the run was alive. */
  stop(runId: string, cause: StopCause): boolean {
    const run = this.#runs.get(runId);
    if (run === undefined) return false;
    // The parent first: it must not treat the end of a child as an answer and continue.
    run.stopping.abort(new StopRequest(cause));
    this.stopChildren(runId, cause);
    return true;
  }

  /** Stops the runs that this run waits for, because this run is being stopped. */
  stopChildren(runId: string, cause: StopCause): void {
    if (this.#runs.has(runId)) this.#closing.add(runId);
    for (const { record, stopping } of [...(this.#children.get(runId) ?? [])]) {
      if (!stopping.signal.aborted) this.stop(record.runId, cause);
    }
  }

  isClosing(runId: string): boolean {
    return this.#closing.has(runId);
  }

  stopAll(cause: StopCause, which: { sparing: 'waited-for' | 'none' }): void {
    for (const { record } of [...this.#runs.values()]) {
      if (which.sparing === 'none' || !record.sync) this.stop(record.runId, cause);
    }
  }

  /** Resolves when the last run has its end on record. */
  whenEmpty(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }
}
