import type { BriefRun } from '../api/wire.ts';

/** How long a record from an event overrides fetched records, which may be older. */
const heldMs = 5000;

/** Run records from recent events. Each new record removes expired ones, so that memory stays bounded. */
export class RecentRuns {
  /** In order of arrival. */
  readonly #records = new Map<string, { readonly run: BriefRun; readonly atMs: number }>();

  get size(): number {
    return this.#records.size;
  }

  add(run: BriefRun, nowMs: number): void {
    this.#records.delete(run.run_id);
    this.#records.set(run.run_id, { run, atMs: nowMs });
    this.#drop(nowMs);
  }

  /** The current records by run id. */
  current(nowMs: number): Map<string, BriefRun> {
    this.#drop(nowMs);
    return new Map([...this.#records].map(([id, { run }]) => [id, run]));
  }

  #drop(nowMs: number): void {
    for (const [id, { atMs }] of this.#records) {
      if (atMs >= nowMs - heldMs) return;
      this.#records.delete(id);
    }
  }
}
