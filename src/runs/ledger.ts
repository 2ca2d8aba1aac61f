import type { Clock } from '../shared/clock.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { EventStore, EventType, LoggedEvent, NewEvent } from './event-store.ts';
import type { KeyStore } from './keys/key-store.ts';
import { type Progress, ProgressBoard, type Report } from './progress-board.ts';
import type { Run } from './run.ts';
import { type BriefRun, notEnded, type RunEnding, type RunEvent, SeriesOver } from './run-record.ts';
import type { RunStart, RunStore } from './run-store.ts';

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
  readonly ending: Omit<RunEnding, 'nextAttemptAt'>;
  /** The run was not started and its caller gets an error: the same key starts a new run. */
  readonly isRefused: boolean;
  /** When the next attempt is due. Called when the end is written, so that a cancellation until then counts. */
  readonly nextAttemptAt?: () => string | null;
  /** Called when the end is on record; with null if an earlier end counts. */
  readonly onRecorded: (ended: BriefRun | null) => void;
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
    run.hasReported = true;
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
    if (run.hasReported) this.#progress.forget(run.record.runId);
    for (const event of events) this.feed.publish(event);
    if (events.length > 0) {
      const { endCause: cause, exitCode, durationMs: ms } = end.ending;
      run.log.info({ cause, exitCode, ms }, 'run ended');
    }
    end.onRecorded(events.at(-1)?.run ?? null);
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
      run.hasReported = types?.has('run.progress') ?? false;
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
    const { tokenHash, key, previousRunId } = acceptance;
    // One transaction, so that a killed service neither loses the attempt nor starts it twice.
    if (previousRunId !== null && !store.setNextAttempt(previousRunId, null)) throw new SeriesOver(null);
    const queued = store.insert(record, tokenHash, { durable: false, start });
    const { runId, queuedAt: usedAt } = record;
    if (key !== undefined) keys.put(key, { runId, usedAt, since: this.keysKeptSince() });
    return queued;
  }

  #writeEnd(write: Write, run: Run, { ending, isRefused, nextAttemptAt }: Ending): RunEvent[] {
    const { store, keys } = this.#options;
    const { runId } = run.record;
    const next = nextAttemptAt?.() ?? null;
    if (isRefused && next === null) keys.release(runId);
    const ended = store.finish(runId, { ...ending, nextAttemptAt: next });
    if (ended === null) return [];
    const events: RunEvent[] = [{ type: 'ended', run: ended }];
    const isStartUnpublished = run.phase === 'queued' || run.phase === 'starting';
    if (isStartUnpublished && ended.startedAt !== null) {
      const started: BriefRun = { ...ended, ...notEnded, state: 'running' };
      write(this.#runEvent('started', started));
      events.unshift({ type: 'started', run: started });
    }
    const late = run.hasReported ? this.#progress.pending(runId) : null;
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

interface EventLogOptions {
  store: EventStore;
  /** Runs the transactions in which events are written. */
  runs: Pick<RunStore, 'atomically'>;
  log: Logger;
  /**
   * How many events are stored, and how many of these are also cached in memory, so that clients that keep up need no
   * queries.
   */
  keep?: { events: number; inMemory: number };
}

/** The events after a position. */
interface Batch {
  readonly events: readonly LoggedEvent[];
  /** The position for the next read. */
  readonly position: number;
  /** Set if events after the old position were removed, or if the position was never issued by this log. */
  readonly hasMissed: boolean;
}

/** Number of events in a read. This limits the memory that a slow client uses. */
const batchEvents = 50;

/** Number of old events removed at once: enough to make removals rare, few enough to delay no request. */
const pruneStep = 100;

/** All events in order. A client reads the events that follow the last one it received. */
export class EventLog {
  /** Publishes each event after it is on record. */
  readonly published = new Feed<LoggedEvent>();
  readonly #store: EventStore;
  readonly #runs: Pick<RunStore, 'atomically'>;
  readonly #log: Logger;
  readonly #keep: { events: number; inMemory: number };
  /** The newest events: all events after `#recentAfter`. */
  readonly #recent: LoggedEvent[] = [];
  #recentAfter: number;
  #newest: number;
  /** The last event that was removed to make room. Events that were removed with their runs do not count as missed. */
  #goneUpTo: number;
  #count: number;

  constructor({ store, runs, log, keep = { events: 10_000, inMemory: 1000 } }: EventLogOptions) {
    this.#store = store;
    this.#runs = runs;
    this.#log = log;
    this.#keep = keep;
    const { count, goneUpTo, newest } = store.extent();
    this.#count = count;
    this.#newest = newest;
    this.#recentAfter = newest;
    this.#goneUpTo = goneUpTo;
  }

  /** Whether no event was removed to make room for newer ones. */
  get isWhole(): boolean {
    return this.#goneUpTo === 0;
  }

  /** The position for clients that want only new events. */
  get newest(): number {
    return this.#newest;
  }

  /**
   * Performs `work` and records its events in one transaction. Events are published after the commit. Do not call it
   * inside another transaction, which might still fail.
   */
  record<Result>(
    work: (write: (event: NewEvent) => LoggedEvent) => Result,
    { durable }: { durable: boolean },
  ): Result {
    const written: [event: LoggedEvent, replaces: number | undefined][] = [];
    const write = (event: NewEvent) => {
      const logged = this.#store.append(event);
      written.push([logged, event.replaces]);
      return logged;
    };
    const result = this.#runs.atomically(() => work(write), { durable });
    for (const [event, replaces] of written) this.#note(event, replaces);
    this.#prune();
    for (const [event] of written) this.published.publish(event);
    return result;
  }

  /** Records an event that belongs to no other record. A failure is logged and returns null. */
  publish(event: NewEvent): LoggedEvent | null {
    try {
      return this.record((write) => write(event), { durable: false });
    } catch (error) {
      this.#log.error({ err: error, type: event.type }, 'cannot record an event');
      return null;
    }
  }

  read(position: number): Batch {
    if (position < this.#goneUpTo || position > this.#newest) {
      return { events: [], position: this.#goneUpTo, hasMissed: true };
    }
    const index = this.#indexAfter(position);
    const events =
      position < this.#recentAfter
        ? this.#store.after(position, batchEvents)
        : this.#recent.slice(index, index + batchEvents);
    return { events, position: events.at(-1)?.seq ?? this.#newest, hasMissed: false };
  }

  /** The stored events of these runs. */
  ofRuns(runIds: readonly string[]): LoggedEvent[] {
    return this.#store.ofRuns(runIds);
  }

  /** The stored events of a type. */
  ofType(type: EventType): LoggedEvent[] {
    return this.#store.ofType(type);
  }

  /** Drops the events of removed runs from memory. `events` is the number removed from the store. */
  forgetRuns(runIds: readonly string[], events: number): void {
    this.#count -= events;
    const kept = this.#recent.filter(({ runId }) => runId === null || !runIds.includes(runId));
    if (kept.length < this.#recent.length) this.#recent.splice(0, this.#recent.length, ...kept);
  }

  #note(event: LoggedEvent, replaces: number | undefined): void {
    this.#newest = event.seq;
    this.#count++;
    this.#recent.push(event);
    if (replaces !== undefined) {
      this.#count--;
      const index = this.#indexAfter(replaces) - 1;
      if (this.#recent[index]?.seq === replaces) this.#recent.splice(index, 1);
    }
    while (this.#recent.length > this.#keep.inMemory) {
      this.#recentAfter = this.#recent.shift()?.seq ?? this.#recentAfter;
    }
  }

  /** The index in memory of the first event after `seq`. */
  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#recent.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#recent[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #prune(): void {
    if (this.#count < this.#keep.events + pruneStep) return;
    try {
      const { count, last } = this.#store.removeOldest(pruneStep);
      this.#count -= count;
      this.#goneUpTo = last ?? this.#goneUpTo;
    } catch (error) {
      this.#log.error({ err: error }, 'cannot remove old events');
    }
  }
}
