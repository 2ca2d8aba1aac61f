import type { Count } from '../execution/messages.ts';
import type { BriefRun, RunEnding, RunRecord } from './run-record.ts';

export type { Count } from '../execution/messages.ts';

/** The run to which a token belongs. */
export interface TokenOwner {
  readonly runId: string;
  readonly depth: number;
}

export interface RunStart {
  readonly startedAt: string;
  readonly executor: string;
}

/** The storage of runs. The interface is declared here and implemented in `storage/`. */
export interface RunStore {
  /** False after the service has closed the store. */
  readonly isOpen: boolean;
  /** Performs all writes of `work` or none of them. Use it for several writes that belong together. */
  atomically<Result>(work: () => Result, options: { durable: boolean }): Result;
  /**
   * `durable`: the run survives a power failure once this returns. `start`: has the effect of calling `markStarted` as
   * well. Returns the run as it was queued, like `findBrief`.
   */
  insert(
    record: RunRecord,
    tokenHash: string,
    options: { durable: boolean; start?: RunStart | null },
  ): BriefRun;
  /** Records that the run is about to be given to an executor. */
  markStarted(runId: string, start: RunStart, options: { durable: boolean }): void;
  /**
   * Records the end; only the first end counts. Returns the run as it is on record now, or null if it had already
   * ended.
   */
  finish(runId: string, ending: RunEnding): BriefRun | null;
  /** Records how many processes runs left running. The counts may arrive before or after the end of the run. */
  recordLeftRunning(counts: readonly Count[]): void;
  /**
   * Changes when the attempt after a run is due; null ends the wait. Returns false if none is awaited: it has been queued, or
   * the series has ended.
   */
  setNextAttempt(runId: string, at: string | null): boolean;
  has(runId: string): boolean;
  find(runId: string): RunRecord | null;
  findBrief(runId: string): BriefRun | null;
  findByToken(tokenHash: string): TokenOwner | null;
  /** The last attempt of the series that began with this run. */
  lastAttempt(firstRunId: string): BriefRun | null;
  /** All attempts of that series on record, in order. */
  attempts(firstRunId: string): BriefRun[];
  /** Runs whose next attempt has not been queued. */
  awaiting(): BriefRun[];
  /** Runs without an end, in the order in which they were accepted. */
  unfinished(): RunRecord[];
}
