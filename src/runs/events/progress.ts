import type { LoggedEvent } from './event-store.ts';

/** How far a script says that it is. */
export interface Progress {
  /** From 0 to 1; null when it does not say. */
  readonly fraction: number | null;
  readonly message: string | null;
}

/** What a script reported, and when. */
export interface Report extends Progress {
  readonly runId: string;
  readonly scriptId: string;
  readonly scriptName: string;
  readonly at: string;
}

interface Entry {
  /** The one that was told last. */
  told: LoggedEvent | null;
  /** The newest one that was not told yet. */
  pending: Report | null;
  /** Until when no other is told. */
  quiet: NodeJS.Timeout | null;
}

/** A person sees no more than this, and a script may report in its innermost loop. */
const quietMs = 200;
/** A full disk has to be cleared by somebody. */
const retryMs = 1000;

/** The progress of runs under way: a few reports a second are told, the newest always, sooner or later. */
export class ProgressBoard {
  readonly #entries = new Map<string, Entry>();
  /** Returns the event, or null when it could not be told. */
  readonly #tell: (report: Report, earlier: LoggedEvent | null) => LoggedEvent | null;

  constructor(tell: (report: Report, earlier: LoggedEvent | null) => LoggedEvent | null) {
    this.#tell = tell;
  }

  report(report: Report): void {
    const entry = this.#entryOf(report.runId);
    entry.pending = report;
    if (entry.quiet === null) this.#tellPending(entry);
  }

  /** The progress that was told last. */
  latest(runId: string): LoggedEvent | null {
    return this.#entries.get(runId)?.told ?? null;
  }

  /** What is still to be told of a run before its end is. */
  pending(runId: string): { report: Report; earlier: LoggedEvent | null } | null {
    const entry = this.#entries.get(runId);
    return entry?.pending ? { report: entry.pending, earlier: entry.told } : null;
  }

  /** Takes over what an earlier service has told. */
  restore(runId: string, told: LoggedEvent): void {
    this.#entryOf(runId).told = told;
  }

  forget(runId: string): void {
    clearTimeout(this.#entries.get(runId)?.quiet ?? undefined);
    this.#entries.delete(runId);
  }

  #entryOf(runId: string): Entry {
    const entry = this.#entries.get(runId) ?? { told: null, pending: null, quiet: null };
    this.#entries.set(runId, entry);
    return entry;
  }

  #tellPending(entry: Entry): void {
    entry.quiet = null;
    if (entry.pending === null) return;
    const told = this.#tell(entry.pending, entry.told);
    if (told !== null) {
      entry.told = told;
      entry.pending = null;
    }
    // What could not be told is tried again, or is told with the end.
    const pauseMs = told === null ? retryMs : quietMs;
    entry.quiet = setTimeout(() => this.#tellPending(entry), pauseMs).unref();
  }
}
