import type { RunEnding, RunRecord } from './run-record.ts';

/** Which run a token belongs to. */
export interface TokenOwner {
  readonly runId: string;
  readonly depth: number;
}

/** Where runs are kept. Stated here, implemented in `storage/`. */
export interface RunStore {
  /** False once the service has closed it. */
  readonly isOpen: boolean;
  /** `durable`: on the disk, power cut or not, before this returns. */
  insert(record: RunRecord, tokenHash: string, options: { durable: boolean }): void;
  markStarted(runId: string, startedAt: string, options: { durable: boolean }): void;
  /** The first end counts; returns false when the run had ended already. */
  finish(runId: string, ending: RunEnding): boolean;
  find(runId: string): RunRecord | null;
  findByToken(tokenHash: string): TokenOwner | null;
  /** Runs that have no end yet, oldest first. */
  unfinished(): RunRecord[];
}
