import type { Clock } from '../shared/clock.ts';
import { Feed } from '../shared/feed.ts';
import type { EventLog } from './events/event-log.ts';
import type { LoggedEvent, NewEvent } from './events/event-store.ts';
import type { KeyStore } from './keys/key-store.ts';
import type { Run } from './run.ts';
import { type BriefRun, notEnded, type RunEnding, type RunEvent } from './run-record.ts';
import type { RunStart, RunStore } from './run-store.ts';

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
class ProgressBoard {
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

export interface LedgerOptions {
  store: RunStore;
  keys: Pick<KeyStore, 'put' | 'release'>;
  eventLog: EventLog;
  clock: Clock;
  /** How long an idempotency key is kept. */
  keepKeysMs: number;
  /** The JSON texts of events. */
  encode: { run: (run: BriefRun) => string; progress: (report: Report) => string };
}

interface Ending {
  readonly ending: RunEnding;
  /** The run was not started and its caller gets an error: the same key starts a new run. */
  readonly isRefused: boolean;
  /** Called when the end is on record. */
  readonly onRecorded: () => void;
}

interface DurableRun {
  readonly run: Run;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type Write = (event: NewEvent) => void;

/** The pause before the next attempt to write an end, for example when the disk is full. */
const retryMs = 1000;

/**
 * Writes the record of every run: once when it is accepted or started, once when it ends. A run that queues is updated when it starts.
 * Each write is one transaction of the row and its events. Subscribers get the events after the commit: `queued`, then
 * `started` if the script was started, then `ended`, each once.
 */
export class Ledger {
  readonly feed = new Feed<RunEvent>();
  readonly #options: LedgerOptions;
  readonly #progress: ProgressBoard;
  #durable: DurableRun[] = [];

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#progress = new ProgressBoard((report, earlier) =>
      options.eventLog.publish(this.#progressEvent(report, earlier)),
    );
  }

  /** Records a queued run. Does nothing if the run is on record. A power failure may lose it. */
  queue(run: Run): void {
    if (run.phase === 'new') this.#insert([run], { start: null, durable: false });
  }

  /** Records a queued run, and resolves when it is on disk. Runs of the same turn of the event loop share a transaction. */
  queueDurably(run: Run): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#durable.length === 0) setImmediate(() => this.#insertDurably(this.#durable.splice(0)));
      this.#durable.push({ run, resolve, reject });
    });
  }

  /** Records the executor that is about to get the run: after a crash the next service asks that executor for the end. */
  start(run: Run, start: RunStart): void {
    const { store } = this.#options;
    if (run.phase === 'new') this.#insert([run], { start, durable: false });
    else store.markStarted(run.record.runId, start, { durable: run.isDurable });
    run.phase = 'starting';
  }

  /** Publishes that the script was started. If this fails, the event is written with the end. */
  started(run: Run): void {
    if (run.phase !== 'queued' && run.phase !== 'starting') return;
    const { store, eventLog } = this.#options;
    try {
      const started = store.findBrief(run.record.runId);
      if (started === null) throw new Error('the run is not on record');
      eventLog.record((write) => write(this.#runEvent('started', started)), { durable: false });
      run.phase = 'running';
      this.feed.publish({ type: 'started', run: started });
    } catch (error) {
      run.log.error({ err: error }, 'cannot publish the start of a run yet');
    }
  }

  /** Records the progress that a script reports. The script has started, even if the executor has not reported that yet. */
  report(run: Run, progress: Progress): void {
    this.started(run);
    const { runId, scriptId, scriptName } = run.record;
    const at = this.#options.clock.now().toISOString();
    this.#progress.report({ runId, scriptId, scriptName, ...progress, at });
  }

  /** Idempotency keys used before this time are expired. */
  keysKeptSince(): string {
    const { clock, keepKeysMs } = this.#options;
    return new Date(clock.now().getTime() - keepKeysMs).toISOString();
  }

  /** The last published progress of a run that has not ended. */
  progressOf(runId: string): LoggedEvent | null {
    return this.#progress.latest(runId);
  }

  /**
   * Records the end of a run. Only the first end counts. A failed write is retried until it succeeds or the store
   * closes.
   */
  end(run: Run, end: Ending): void {
    const { store, eventLog } = this.#options;
    let events: RunEvent[];
    try {
      events = eventLog.record((write) => this.#writeEnd(write, run, end), { durable: false });
    } catch (error) {
      if (!store.isOpen) return;
      run.log.error({ err: error }, 'cannot record the end of a run yet');
      setTimeout(() => this.end(run, end), retryMs).unref();
      return;
    }
    run.phase = 'ended';
    this.#progress.forget(run.record.runId);
    for (const event of events) this.feed.publish(event);
    if (events.length > 0) {
      const { endCause: cause, exitCode, durationMs: ms } = end.ending;
      run.log.info({ cause, exitCode, ms }, 'run ended');
    }
    end.onRecorded();
  }

  /** Restores the phase and the progress of runs that an earlier service left without an end. */
  recover(runs: readonly Run[]): void {
    const { eventLog } = this.#options;
    const published = new Map<string, Set<string>>();
    for (const event of eventLog.ofRuns(runs.map(({ record }) => record.runId))) {
      const runId = event.runId ?? '';
      published.set(runId, (published.get(runId) ?? new Set()).add(event.type));
      if (event.type === 'run.progress') this.#progress.restore(runId, event);
    }
    for (const run of runs) {
      const types = published.get(run.record.runId);
      // The log may have dropped the old events of a run. In that case its start counts as published.
      const isComplete = types?.has('run.queued') ?? eventLog.isWhole;
      const isStarted = types?.has('run.started') ?? false;
      if (run.record.state === 'queued') run.phase = 'queued';
      else run.phase = isComplete && !isStarted ? 'starting' : 'running';
    }
  }

  #insertDurably(group: readonly DurableRun[]): void {
    try {
      this.#insert(
        group.map(({ run }) => run),
        { start: null, durable: true },
      );
    } catch (error) {
      // One run that cannot be written must not fail the others.
      if (group.length > 1) for (const each of group) this.#insertDurably([each]);
      else for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  #insert(runs: readonly Run[], { start, durable }: { start: RunStart | null; durable: boolean }): void {
    const inserted = this.#options.eventLog.record(
      (write) =>
        runs.map((run) => {
          const queued = this.#insertRow(run, start);
          write(this.#runEvent('queued', queued));
          return queued;
        }),
      { durable },
    );
    for (const run of runs) run.phase = 'queued';
    for (const run of inserted) this.feed.publish({ type: 'queued', run });
  }

  /** Returns the run as it was queued. */
  #insertRow({ record, acceptance }: Run, start: RunStart | null): BriefRun {
    const { store, keys } = this.#options;
    if (acceptance === null) throw new Error(`the run ${record.runId} is on record already`);
    const { tokenHash, key } = acceptance;
    const queued = store.insert(record, tokenHash, { durable: false, start });
    const { runId, queuedAt: usedAt } = record;
    if (key !== undefined) keys.put(key, { runId, usedAt, since: this.keysKeptSince() });
    return queued;
  }

  #writeEnd(write: Write, run: Run, { ending, isRefused }: Ending): RunEvent[] {
    const { store, keys } = this.#options;
    const { runId } = run.record;
    if (isRefused) keys.release(runId);
    const ended = store.finish(runId, ending);
    if (ended === null) return [];
    const events: RunEvent[] = [{ type: 'ended', run: ended }];
    const isStartUnpublished = run.phase === 'queued' || run.phase === 'starting';
    if (isStartUnpublished && ended.startedAt !== null) {
      const started: BriefRun = { ...ended, ...notEnded, state: 'running' };
      write(this.#runEvent('started', started));
      events.unshift({ type: 'started', run: started });
    }
    const late = this.#progress.pending(runId);
    if (late !== null) write(this.#progressEvent(late.report, late.earlier));
    write(this.#runEvent('ended', ended));
    return events;
  }

  #runEvent(type: RunEvent['type'], run: BriefRun): NewEvent {
    return { type: `run.${type}`, runId: run.runId, data: this.#options.encode.run(run) };
  }

  #progressEvent(report: Report, earlier: LoggedEvent | null): NewEvent {
    return {
      type: 'run.progress',
      runId: report.runId,
      data: this.#options.encode.progress(report),
      ...(earlier !== null && { replaces: earlier.seq }),
    };
  }
}
