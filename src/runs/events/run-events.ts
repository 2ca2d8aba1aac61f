import { Feed } from '../../shared/feed.ts';
import type { Logger } from '../../shared/log.ts';
import type { BriefRun } from '../run-record.ts';
import type { RunStore } from '../run-store.ts';
import type { EventLog } from './event-log.ts';
import type { LoggedEvent, NewEvent } from './event-store.ts';
import { type Progress, ProgressBoard, type Report } from './progress.ts';

export interface RunEvent {
  readonly type: 'queued' | 'started' | 'ended';
  readonly run: BriefRun;
  /** When a start was heard of, if it is told only now. */
  readonly atMs?: number;
}

interface EntryToRecord {
  readonly runId: string;
  readonly insert: () => BriefRun;
}

interface EndToRecord {
  readonly runId: string;
  /** Returns the run as it is on record then, or null if it had an end already. */
  readonly finish: () => BriefRun | null;
}

interface Untold {
  /** Nor was anybody told that it was queued. */
  readonly isQueueUntold: boolean;
  /** When we heard of its start, if we did. */
  readonly startAtMs: number | null;
}

interface RunEventsOptions {
  log: EventLog;
  store: Pick<RunStore, 'findBrief' | 'isOpen'>;
  logger: Logger;
  /** What goes out. */
  encode: { run: (run: BriefRun) => string; progress: (report: Report) => string };
}

/** Many scripts take no longer, and nobody notices that a start is told so much later. */
const startPauseMs = 30;

/** Tells of each run that it was queued, that it started, if it did, and that it ended: in this order, and each once. */
export class RunEvents {
  readonly feed = new Feed<RunEvent>();
  readonly #options: RunEventsOptions;
  /** Runs without an end of whose start nobody was told. */
  readonly #untold = new Map<string, Untold>();
  readonly #progress: ProgressBoard;

  constructor(options: RunEventsOptions) {
    this.#options = options;
    this.#progress = new ProgressBoard((report, earlier) =>
      options.log.tell(this.#progressEvent(report, earlier)),
    );
  }

  /** Puts runs on record, each by its `insert`, and says so: all of them, or none. */
  queue(entries: readonly EntryToRecord[], { durable }: { durable: boolean }): void {
    const writeEntry = (write: (event: NewEvent) => void, { insert }: EntryToRecord) => {
      const run = insert();
      write(this.#runEvent('queued', run));
      return run;
    };
    const runs = this.#options.log.record((write) => entries.map((entry) => writeEntry(write, entry)), {
      durable,
    });
    for (const { runId } of entries) this.#untold.set(runId, { isQueueUntold: false, startAtMs: null });
    for (const run of runs) this.feed.publish({ type: 'queued', run });
  }

  /** The same for a run that waits for nothing: that is told with its start, or with its end if that comes before. */
  queueStarting({ runId, insert }: EntryToRecord): void {
    const run = insert();
    this.#untold.set(runId, { isQueueUntold: true, startAtMs: null });
    this.feed.publish({ type: 'queued', run });
  }

  /** The script has been started, which is told soon, or with the end if that comes before: writing down both at once is cheaper. */
  startSoon(runId: string): void {
    const untold = this.#untold.get(runId);
    if (untold === undefined) return;
    this.#untold.set(runId, { ...untold, startAtMs: Date.now() });
    setTimeout(() => {
      if (this.#options.store.isOpen) this.start(runId);
    }, startPauseMs).unref();
  }

  /** The script has been started. What cannot be told now is told with the end. */
  start(runId: string): void {
    const untold = this.#untold.get(runId);
    if (untold === undefined) return;
    try {
      const run = this.#find(runId);
      this.#options.log.record((write) => this.#writeStart(write, run, untold), { durable: false });
      this.#untold.delete(runId);
      this.feed.publish(startOf(run, untold.startAtMs));
    } catch (error) {
      this.#options.logger.error({ err: error, run: runId }, 'cannot publish the start of a run yet');
    }
  }

  /** A script says how far it is, so it has been started, whoever says so first. */
  report(runId: string, progress: Progress, now: Date): void {
    this.start(runId);
    const { scriptId, scriptName } = this.#find(runId);
    this.#progress.report({ runId, scriptId, scriptName, ...progress, at: now.toISOString() });
  }

  /** The latest progress of a run that lasts. */
  progressOf(runId: string): LoggedEvent | null {
    return this.#progress.latest(runId);
  }

  /** Puts the ends of runs on record, each by its `finish`, and says so, unless they had ended already. Returns those that had not. */
  end(ends: readonly EndToRecord[]): ReadonlySet<string> {
    const told = this.#options.log.record((write) => ends.flatMap((end) => this.#writeEnd(write, end)), {
      durable: false,
    });
    for (const { runId } of ends) {
      this.#untold.delete(runId);
      this.#progress.forget(runId);
    }
    for (const event of told) this.feed.publish(event);
    return new Set(told.map(({ run }) => run.runId));
  }

  #writeEnd(write: (event: NewEvent) => void, { runId, finish }: EndToRecord): RunEvent[] {
    const run = finish();
    if (run === null) return [];
    const untold = this.#untold.get(runId);
    const late = this.#progress.pending(runId);
    const events: RunEvent[] = [{ type: 'ended', run }];
    if (untold !== undefined && run.startedAt !== null) {
      const started = startOf(withoutEnd(run), untold.startAtMs);
      this.#writeStart(write, started.run, untold);
      events.unshift(started);
    } else if (untold?.isQueueUntold) {
      write(this.#runEvent('queued', withoutStart(withoutEnd(run))));
    }
    if (late !== null) write(this.#progressEvent(late.report, late.earlier));
    write(this.#runEvent('ended', run));
    return events;
  }

  #writeStart(write: (event: NewEvent) => void, run: BriefRun, { isQueueUntold }: Untold): void {
    if (isQueueUntold) write(this.#runEvent('queued', withoutStart(run)));
    write(this.#runEvent('started', run));
  }

  /**
   * Takes up the runs that an earlier service left without an end, from what is in the log. A start that is not in it was not told,
   * unless the log does not reach back as far as that run.
   */
  recover(runs: readonly Pick<BriefRun, 'runId' | 'state'>[]): void {
    const told = new Map<string, Set<string>>();
    for (const event of this.#options.log.ofRuns(runs.map(({ runId }) => runId))) {
      const runId = event.runId ?? '';
      told.set(runId, (told.get(runId) ?? new Set()).add(event.type));
      if (event.type === 'run.progress') this.#progress.restore(runId, event);
    }
    for (const { runId, state } of runs) {
      const types = told.get(runId);
      // Of a run whose events went because there are newer ones it is not known what was told.
      const isQueueUntold = types === undefined && this.#options.log.isWhole;
      const isUntold = types?.has('run.queued') === true && !types.has('run.started');
      if (state === 'queued' || isUntold || isQueueUntold)
        this.#untold.set(runId, { isQueueUntold, startAtMs: null });
    }
  }

  #find(runId: string): BriefRun {
    const run = this.#options.store.findBrief(runId);
    if (run === null) throw new Error(`The run ${runId} is not on record`);
    return run;
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

function startOf(run: BriefRun, atMs: number | null): RunEvent {
  return { type: 'started', run, ...(atMs !== null && { atMs }) };
}

/** A run that has been started, as it was before. */
function withoutStart(run: BriefRun): BriefRun {
  return { ...run, state: 'queued', startedAt: null, executor: null };
}

/** A run that has ended, as it was before. */
function withoutEnd(run: BriefRun): BriefRun {
  return {
    ...run,
    state: 'running',
    endCause: null,
    exitCode: null,
    result: null,
    code: null,
    message: null,
    envelope: null,
    endedAt: null,
    durationMs: null,
    stdoutBytes: null,
    stderrBytes: null,
    stdoutKept: null,
    stderrKept: null,
    truncated: null,
    leftRunning: null,
  };
}
