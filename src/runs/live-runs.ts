import type { StopCause } from '../execution/messages.ts';

/** Why a run does not go on, as the reason of its signal. */
export class StopRequest extends Error {
  readonly stopCause: StopCause;

  constructor(stopCause: StopCause) {
    super(`the run is to be stopped: ${stopCause}`);
    this.name = 'StopRequest';
    this.stopCause = stopCause;
  }
}

/** Once a run has had its turn, nothing but a request to stop it ends its signal. */
export function stopCauseOf(signal: AbortSignal): StopCause {
  return signal.reason instanceof StopRequest ? signal.reason.stopCause : 'cancelled';
}

interface LiveEntry {
  readonly runId: string;
  /** The run that waits for this one; null when none does. */
  readonly waitingParent: string | null;
  readonly isWaitedFor: boolean;
  /** Aborted with a `StopRequest`, or, before the run has its turn, with the refusal for its caller. */
  readonly stopping: AbortController;
}

/** The runs that have no end yet, and who of them waits for whom: what is stopped takes along all it waits for. */
export class LiveRuns {
  readonly #entries = new Map<string, LiveEntry>();
  #onEmpty: (() => void)[] = [];

  add(entry: LiveEntry): void {
    this.#entries.set(entry.runId, entry);
  }

  remove(runId: string): void {
    this.#entries.delete(runId);
    if (this.#entries.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Whether there was such a run to stop. */
  stop(runId: string, cause: StopCause): boolean {
    const entry = this.#entries.get(runId);
    if (entry === undefined) return false;
    // The parent first: a child's end must not look to it like an answer to go on with.
    entry.stopping.abort(new StopRequest(cause));
    this.stopChildren(runId, cause);
    return true;
  }

  /** Stops the runs that this one waits for. */
  stopChildren(runId: string, cause: StopCause): void {
    for (const entry of [...this.#entries.values()]) {
      if (entry.waitingParent === runId && !entry.stopping.signal.aborted) this.stop(entry.runId, cause);
    }
  }

  stopAll(cause: StopCause, which: { sparing: 'waited-for' | 'none' }): void {
    for (const { runId, isWaitedFor } of [...this.#entries.values()]) {
      if (which.sparing === 'none' || !isWaitedFor) this.stop(runId, cause);
    }
  }

  /** Resolves when the last one has its end. */
  whenEmpty(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }
}
