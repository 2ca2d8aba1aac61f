import type { LoggedEvent } from './event-store.ts';

/** The progress that a script reports. */
export interface Progress {
  /** From 0 to 1; null if the script does not report it. */
  readonly fraction: number | null;
  readonly message: string | null;
}

/** A progress report with its run and its time. */
export interface Report extends Progress {
  readonly runId: string;
  readonly scriptId: string;
  readonly scriptName: string;
  readonly at: string;
}

interface Entry {
  /** The last published event. */
  published: LoggedEvent | null;
  /** The newest report that is not published yet. */
  pending: Report | null;
  /** The timer before whose end no further report is published. */
  pause: NodeJS.Timeout | null;
}

/** A person notices no faster updates, and a script may report in its innermost loop. */
const publishPauseMs = 200;

/** Delay before the next attempt after a failed write. A full disk takes a while to be freed. */
const publishRetryMs = 1000;

/**
 * The progress of executing runs. It publishes a few reports per second. The newest report is always published
 * eventually.
 */
export class ProgressBoard {
  readonly #entries = new Map<string, Entry>();
  /** Returns the event, or null if it could not be published. */
  readonly #publish: (report: Report, earlier: LoggedEvent | null) => LoggedEvent | null;

  constructor(publish: (report: Report, earlier: LoggedEvent | null) => LoggedEvent | null) {
    this.#publish = publish;
  }

  report(report: Report): void {
    const entry = this.#entryOf(report.runId);
    entry.pending = report;
    if (entry.pause === null) this.#publishPending(entry);
  }

  /** The last published progress. */
  latest(runId: string): LoggedEvent | null {
    return this.#entries.get(runId)?.published ?? null;
  }

  /** The report of a run that must be published before its end. */
  pending(runId: string): { report: Report; earlier: LoggedEvent | null } | null {
    const entry = this.#entries.get(runId);
    return entry?.pending ? { report: entry.pending, earlier: entry.published } : null;
  }

  /** Restores the last event that an earlier service published. */
  restore(runId: string, published: LoggedEvent): void {
    this.#entryOf(runId).published = published;
  }

  forget(runId: string): void {
    clearTimeout(this.#entries.get(runId)?.pause ?? undefined);
    this.#entries.delete(runId);
  }

  #entryOf(runId: string): Entry {
    const entry = this.#entries.get(runId) ?? { published: null, pending: null, pause: null };
    this.#entries.set(runId, entry);
    return entry;
  }

  #publishPending(entry: Entry): void {
    entry.pause = null;
    if (entry.pending === null) return;
    const published = this.#publish(entry.pending, entry.published);
    if (published !== null) {
      entry.published = published;
      entry.pending = null;
    }
    // A report that could not be published is retried, or is published with the end of the run.
    const pauseMs = published === null ? publishRetryMs : publishPauseMs;
    entry.pause = setTimeout(() => this.#publishPending(entry), pauseMs).unref();
  }
}
