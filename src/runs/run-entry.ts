import type { EntryRecorder, NewEntry } from './entry-recorder.ts';
import type { RunStart } from './run-store.ts';

/** The entry of a run in the record. It is made once: with the start of the run, if that can be given to an executor at once. */
export class RunEntry {
  readonly #recorder: EntryRecorder;
  #entry: NewEntry | null;

  constructor(recorder: EntryRecorder, entry: NewEntry) {
    this.#recorder = recorder;
    this.#entry = entry;
  }

  /** Returns whether it was not there yet. */
  make(start: RunStart | null = null): boolean {
    if (this.#entry === null) return false;
    this.#recorder.record(this.#entry, start);
    this.#entry = null;
    return true;
  }

  /** Made when `ready` has resolved; resolves when it is on the disk. To be called before anybody else can make it. */
  async makeDurably(ready: Promise<void>): Promise<void> {
    if (this.#entry === null) return;
    await this.#recorder.recordDurably(this.#entry, ready);
    this.#entry = null;
  }
}

/** That of a run which an earlier service has put on record. */
export const entryMadeBefore = { make: () => false };
