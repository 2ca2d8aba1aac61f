import type { FiringReason } from '../contract/firings.ts';
import type { FiringOutcome } from '../contract/values.ts';

/** A slot of a schedule, an arrival in a folder or a delivery to a webhook, and what became of it. */
export interface Firing {
  readonly triggerId: string;
  /** Identifies the slot, file or delivery, so that it is recorded once; null: nothing identifies it. */
  readonly key: string | null;
  /** The slot, or the time of the arrival. ISO. */
  readonly dueAt: string;
  readonly recordedAt: string;
  readonly outcome: FiringOutcome;
  /** Why no run was started; contract/firings.ts has the words. */
  readonly reason: FiringReason | null;
  /** A fact that the reason lacks, such as a path or an error code. Never a secret. */
  readonly detail: string | null;
  readonly runId: string | null;
}

/** A firing that was due when it was recorded. Fields that are left out are null. */
export function firingAt(at: Date, fields: Pick<Firing, 'triggerId' | 'outcome'> & Partial<Firing>): Firing {
  const time = at.toISOString();
  return { key: null, dueAt: time, recordedAt: time, reason: null, detail: null, runId: null, ...fields };
}

export interface StoredFiring extends Firing {
  readonly seq: number;
}

export interface FiringPage {
  readonly firings: readonly StoredFiring[];
  /** The position for the next page; null on the last one. */
  readonly next: number | null;
}

/** A file that was handed over to a run, or that was there before its trigger. */
export interface HandedFile {
  readonly path: string;
  /** `DEVICE:INODE`. The inode is left out on file systems whose inode numbers may change with each mount. */
  readonly inode: string;
  readonly modifiedMs: number;
  readonly bytes: number;
}

/**
 * Files that were chosen for one run. It is stored before the run starts and removed after the run has ended, so that no restart
 * repeats the run or forgets what remains to be done with the files.
 */
export interface Handover {
  readonly triggerId: string;
  /** The key of the run. Unique. */
  readonly key: string;
  readonly files: readonly HandedFile[];
  /** When they were chosen, before the run started. ISO. */
  readonly chosenAt: string;
  /** Null until the run was started. */
  readonly runId: string | null;
}

/** The records of triggers. The interface is declared here and implemented in `storage/`. */
export interface TriggerStore {
  /** Performs all writes of `work` or none of them; `durable`: they survive a power failure. */
  atomically<Result>(work: () => Result, options: { durable: boolean }): Result;
  /** Records a firing. False if this trigger already has one with this key. */
  record(firing: Firing): boolean;
  /** The firing with this key; null if there is none. */
  find(triggerId: string, key: string): StoredFiring | null;
  /** The firings of a trigger, newest first. `before`: the position of the previous page. */
  page(triggerId: string, query: { before: number | null; limit: number }): FiringPage;
  /** The newest firing of each of these triggers. */
  latest(triggerIds: readonly string[]): ReadonlyMap<string, StoredFiring>;
  /** Up to where a schedule has dealt with its slots, and other facts that a kind must not forget. */
  position(triggerId: string): string | null;
  positions(): ReadonlyMap<string, string>;
  setPosition(triggerId: string, position: string): void;
  /** Replaces what is known about the same paths. */
  recordHanded(triggerId: string, files: readonly HandedFile[]): void;
  /** Forgets a file, for example one that is gone. */
  forgetHanded(triggerId: string, paths: readonly string[]): void;
  handed(triggerId: string): readonly HandedFile[];
  /** Stores a handover, or replaces the one with the same key. */
  putHandover(handover: Handover): void;
  removeHandover(triggerId: string, key: string): void;
  /** In the order in which they were first stored. */
  handovers(triggerId: string): readonly Handover[];
  /** Forgets everything about a trigger. */
  forget(triggerId: string): void;
}
