import type { Count } from '../execution/messages.ts';
import type { BriefRun, RunEnding, RunRecord } from './run-record.ts';

export type { Count } from '../execution/messages.ts';

/** Which run a token belongs to. */
export interface TokenOwner {
  readonly runId: string;
  readonly depth: number;
}

export interface RunStart {
  readonly startedAt: string;
  readonly executor: string;
}

/** Where runs are kept. Stated here, implemented in `storage/`. */
export interface RunStore {
  /** False once the service has closed it. */
  readonly isOpen: boolean;
  /** All writes in `work`, or none of them; to be used for more than one that belong together. */
  atomically<Result>(work: () => Result, options: { durable: boolean }): Result;
  /**
   * `durable`: when this returns, a power cut does not lose the run. `start`: as if `markStarted` followed at once. Returns the run as
   * it was queued, as `findBrief` would.
   */
  insert(
    record: RunRecord,
    tokenHash: string,
    options: { durable: boolean; start?: RunStart | null },
  ): BriefRun;
  /** The run is about to be given to an executor. */
  markStarted(runId: string, start: RunStart, options: { durable: boolean }): void;
  /** The first end counts. Returns the run as it is on record now, or null when it had ended already. */
  finish(runId: string, ending: RunEnding): BriefRun | null;
  /** How many processes runs have left running, which may be known before or after their end is recorded. */
  recordLeftRunning(counts: readonly Count[]): void;
  has(runId: string): boolean;
  find(runId: string): RunRecord | null;
  findBrief(runId: string): BriefRun | null;
  findByToken(tokenHash: string): TokenOwner | null;
  /** Runs without an end, in the order in which they were accepted. */
  unfinished(): RunRecord[];
}
