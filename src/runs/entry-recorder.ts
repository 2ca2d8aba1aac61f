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
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type EntryRecorderOptions = Pick<RunServiceOptions, 'store' | 'keys' | 'events' | 'clock' | 'limits'>;

/** Puts runs on record, in the order in which they came. */
export class EntryRecorder {
  readonly #options: EntryRecorderOptions;
  readonly #waiting: Waiting[] = [];

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

  /** On the disk when this resolves, with all that came in the same turn of the event loop: the disk takes no longer for many. */
  recordDurably(entry: NewEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      const count = this.#waiting.push({ entry, resolve, reject });
      if (count === 1) setImmediate(() => this.#write(this.#waiting.splice(0)));
    });
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
