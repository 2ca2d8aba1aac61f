import type { BriefRun } from '../api/wire.ts';

/** For so long what was told of a run is held against answers, which may have been on their way before it. */
const heldMs = 5000;

/** What was told of runs a moment ago. Runs come in floods for as long as the page is open: each that is told of puts the old ones out. */
export class RecentRuns {
  /** The one told of longest ago first. */
  readonly #told = new Map<string, { readonly run: BriefRun; readonly atMs: number }>();

  get size(): number {
    return this.#told.size;
  }

  tell(run: BriefRun, nowMs: number): void {
    this.#told.delete(run.run_id);
    this.#told.set(run.run_id, { run, atMs: nowMs });
    this.#drop(nowMs);
  }

  /** By their ids. */
  held(nowMs: number): Map<string, BriefRun> {
    this.#drop(nowMs);
    return new Map([...this.#told].map(([id, { run }]) => [id, run]));
  }

  #drop(nowMs: number): void {
    for (const [id, { atMs }] of this.#told) {
      if (atMs >= nowMs - heldMs) return;
      this.#told.delete(id);
    }
  }
}
