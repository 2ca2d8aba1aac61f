import type { KeyUse } from './keys/key-store.ts';
import type { BriefRun, RunRecord } from './run-record.ts';
import { keysKeptSince, type RunServiceOptions } from './run-request.ts';
import type { RunStart } from './run-store.ts';

/** A run that was just asked for, to be put on record. */
export interface NewEntry {
  readonly record: RunRecord;
  readonly tokenHash: string;
  /** By which its caller can come back to it. */
  readonly key: KeyUse | undefined;
}

interface Waiting {
  readonly entry: NewEntry;
  isReady: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type EntryRecorderOptions = Pick<RunServiceOptions, 'store' | 'keys' | 'events' | 'clock' | 'limits'>;

/** Whoever is ready does not wait longer than this for others: one may have megabytes to write, and disks differ. */
const longestWaitMs = 5;

/** Puts runs on record, in the order in which they came. */
export class EntryRecorder {
  readonly #options: EntryRecorderOptions;
  /** Those that are to be on the disk, ready or not, in the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  /** Those that were not ready when the first of the next group was; null while none is. */
  #awaited: Set<Waiting> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EntryRecorderOptions) {
    this.#options = options;
  }

  /** On record when this returns, but not safe from a power cut. `start`: it is given to an executor at once. */
  record(entry: NewEntry, start: RunStart | null): void {
    const { events } = this.#options;
    const toRecord = { runId: entry.record.runId, insert: () => this.#insert(entry, start) };
    if (start === null) events.queue([toRecord], { durable: false });
    else events.queueStarting(toRecord);
  }

  /**
   * Written down when `ready` has resolved, such as when its parameters are on the disk; on the disk itself when this resolves. Those
   * that are asked for at about the same time get there together: the disk takes no longer for many.
   */
  recordDurably(entry: NewEntry, ready: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { entry, isReady: false, resolve, reject };
      this.#waiting.add(waiting);
      ready.then(
        () => this.#join(waiting),
        (error: unknown) => this.#leave(waiting, error),
      );
    });
  }

  #join(waiting: Waiting): void {
    waiting.isReady = true;
    if (this.#awaited === null) {
      // Who comes later is not waited for, or a group might never be complete.
      this.#awaited = new Set(this.#waiting);
      this.#timer = setTimeout(() => this.#writeGroup(), longestWaitMs);
    }
    this.#awaitNoMore(waiting);
  }

  #leave(waiting: Waiting, error: unknown): void {
    this.#waiting.delete(waiting);
    waiting.reject(error);
    this.#awaitNoMore(waiting);
  }

  #awaitNoMore(waiting: Waiting): void {
    if (!this.#awaited?.delete(waiting) || this.#awaited.size > 0) return;
    clearTimeout(this.#timer);
    setImmediate(() => this.#writeGroup());
  }

  #writeGroup(): void {
    this.#awaited = null;
    const group = [...this.#waiting].filter(({ isReady }) => isReady);
    for (const waiting of group) this.#waiting.delete(waiting);
    this.#write(group);
  }

  #write(group: readonly Waiting[]): void {
    try {
      const entries = group.map(({ entry }) => ({
        runId: entry.record.runId,
        insert: () => this.#insert(entry, null),
      }));
      this.#options.events.queue(entries, { durable: true });
    } catch (error) {
      // One that cannot be written must not take the others with it.
      if (group.length > 1) for (const waiting of group) this.#write([waiting]);
      else for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  /** The run and its key are on record together, or neither is. */
  #insert({ record, tokenHash, key }: NewEntry, start: RunStart | null): BriefRun {
    const { store, keys } = this.#options;
    const inserted = store.insert(record, tokenHash, { durable: false, start });
    const { runId, queuedAt: usedAt } = record;
    if (key !== undefined) keys.put(key, { runId, usedAt, since: keysKeptSince(this.#options) });
    return inserted;
  }
}
