import type { StopCause } from '../execution/messages.ts';
import type { RunEntry } from './run-entry.ts';
import type { RunRecord } from './run-record.ts';

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
  readonly record: Pick<RunRecord, 'runId' | 'parentRunId' | 'sync' | 'scriptId'>;
  /** Where its script lies, if that is known. */
  readonly scriptFolder: string | null;
  /** Aborted with a `StopRequest`, or, before the run has its turn, with the refusal for its caller. */
  readonly stopping: AbortController;
  readonly entry: Pick<RunEntry, 'make'>;
}

/** The runs that have no end yet, and who of them waits for whom: what is stopped takes along all it waits for. */
export class LiveRuns {
  readonly #entries = new Map<string, LiveEntry>();
  /** The runs that others wait for, by who does: looking through all for each that is stopped took seconds with thousands queued. */
  readonly #children = new Map<string, Set<LiveEntry>>();
  /** Those that are being stopped, by us or by their time limit: nothing more is started for them to wait for. */
  readonly #closing = new Set<string>();
  #onEmpty: (() => void)[] = [];

  add(entry: LiveEntry): void {
    const { runId, parentRunId, sync } = entry.record;
    this.#entries.set(runId, entry);
    if (!sync || parentRunId === null) return;
    const siblings = this.#children.get(parentRunId) ?? new Set();
    this.#children.set(parentRunId, siblings.add(entry));
  }

  has(runId: string): boolean {
    return this.#entries.has(runId);
  }

  /** Another run is started for this one to wait for, and says so: it must be there to be found. */
  putOnRecord(runId: string): void {
    this.#entries.get(runId)?.entry.make();
  }

  some(fits: (entry: LiveEntry) => boolean): boolean {
    return [...this.#entries.values()].some(fits);
  }

  remove(runId: string): void {
    const entry = this.#entries.get(runId);
    this.#entries.delete(runId);
    const parent = entry?.record.parentRunId ?? '';
    const siblings = this.#children.get(parent);
    if (entry !== undefined && siblings?.delete(entry) && siblings.size === 0) this.#children.delete(parent);
    this.#closing.delete(runId);
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

  /** Stops the runs that this one waits for: it is itself being stopped. */
  stopChildren(runId: string, cause: StopCause): void {
    if (this.#entries.has(runId)) this.#closing.add(runId);
    for (const { record, stopping } of [...(this.#children.get(runId) ?? [])]) {
      if (!stopping.signal.aborted) this.stop(record.runId, cause);
    }
  }

  isClosing(runId: string): boolean {
    return this.#closing.has(runId);
  }

  stopAll(cause: StopCause, which: { sparing: 'waited-for' | 'none' }): void {
    for (const { record } of [...this.#entries.values()]) {
      if (which.sparing === 'none' || !record.sync) this.stop(record.runId, cause);
    }
  }

  /** Resolves when the last one has its end. */
  whenEmpty(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }
}
