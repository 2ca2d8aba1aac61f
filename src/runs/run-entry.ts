import type { RunStart } from './run-store.ts';

/** The entry of a run in the record. It is made once: with the start of the run, if that can be given to an executor at once. */
export class RunEntry {
  #insert: ((start: RunStart | null) => void) | null;

  /** `insert` is null for a run that an earlier service has put on record. */
  constructor(insert: ((start: RunStart | null) => void) | null) {
    this.#insert = insert;
  }

  /** Returns whether it was not there yet. */
  make(start: RunStart | null = null): boolean {
    if (this.#insert === null) return false;
    this.#insert(start);
    this.#insert = null;
    return true;
  }
}
