import type { Clock } from '../shared/clock.ts';
import { AppError } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import { stopping } from './refusals.ts';
import { delayAfter } from './retry-plan.ts';
import { type BriefRun, isOpen, type SeriesEnd, SeriesOver } from './run-record.ts';
import type { SubmittedRun } from './run-request.ts';
import type { RunStore } from './run-store.ts';

interface RunSeriesOptions {
  store: Pick<RunStore, 'awaiting' | 'setNextAttempt' | 'lastAttempt'>;
  clock: Clock;
  log: Logger;
  /** Starts the attempt that follows a run. Rejects with `SeriesOver` if there can be none. */
  start: (previous: BriefRun, language: Language) => Promise<SubmittedRun>;
  /** Called when a series ends that waited for its next attempt. `why` is null if a user ended it. */
  onAbandoned: (previous: BriefRun, why: string | null) => void;
}

/** A series that waits for its next attempt. */
interface Waiting {
  /** The attempt that ended last. */
  readonly previous: BriefRun;
  readonly language: Language;
  /** Wall time in milliseconds. */
  dueAtMs: number;
  /** The same on the clock that never jumps. */
  dueAtSteadyMs: number;
  timer: NodeJS.Timeout | undefined;
  readonly next: Promise<SubmittedRun | null>;
  readonly resolve: (next: SubmittedRun | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Wall time may jump, and the machine may sleep. So each wait compares it at least this often. */
const compareEveryMs = 30_000;

/** A refused attempt of a series without a delay must not be repeated in a busy loop. */
const shortestPostponementMs = 1000;
/** A script that cannot run waits for its author. */
const brokenScriptMs = 5000;

/**
 * Series of attempts between two attempts. The record of the earlier attempt says when the next one is due, so a service
 * that is killed loses nothing. A wait holds no slot and no lock.
 */
export class RunSeries {
  /** Publishes each series whose last attempt has ended. */
  readonly ends = new Feed<SeriesEnd>();
  readonly #options: RunSeriesOptions;
  /** By the id of the attempt that ended last. */
  readonly #waiting = new Map<string, Waiting>();
  #isStopped = false;

  constructor(options: RunSeriesOptions) {
    this.#options = options;
  }

  /** Whether a run, an attempt of it, or the wait for its next attempt has not ended. */
  isLive(firstRunId: string): boolean {
    const last = this.#options.store.lastAttempt(firstRunId);
    return last !== null && isOpen(last);
  }

  /** Whether the next attempt after this run has not started. */
  isAwaited(runId: string): boolean {
    return this.#waiting.has(runId);
  }

  /** The end of a run is on record. */
  noteEnd(run: BriefRun, language: Language): void {
    if (run.nextAttemptAt === null) this.ends.publish({ run, wasCancelled: false });
    else this.#wait(run, language);
  }

  /** The attempt that follows a run that has ended; null if the series is over. Rejects if the service stops before. */
  nextAfter(runId: string): Promise<SubmittedRun | null> {
    return this.#waiting.get(runId)?.next ?? Promise.resolve(null);
  }

  /** Continues the series that an earlier service left waiting. */
  recover(): void {
    for (const run of this.#options.store.awaiting()) this.#wait(run, 'zh');
  }

  /** Ends a series that waits for the attempt after this run. Returns whether it waited. */
  cancel({ runId }: Pick<BriefRun, 'runId'>): boolean {
    const { store } = this.#options;
    const waiting = this.#waiting.get(runId);
    if (waiting === undefined || !store.setNextAttempt(runId, null)) return false;
    this.#abandon(waiting, null);
    return true;
  }

  /** Ends the series whose caller, a run, is being stopped. */
  cancelBelow(parentRunId: string): void {
    this.#cancelThose(({ sync, parentRunId: parent }) => sync && parent === parentRunId);
  }

  cancelAll(): void {
    this.#cancelThose(() => true);
  }

  #cancelThose(fits: (previous: BriefRun) => boolean): void {
    for (const { previous } of [...this.#waiting.values()].filter((waiting) => fits(waiting.previous))) {
      try {
        this.cancel(previous);
      } catch (error) {
        this.#options.log.error({ err: error, run: previous.runId }, 'cannot end a series of attempts');
      }
    }
  }

  /** Starts no more attempts. The next service continues the series. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(stopping());
    }
  }

  #wait(previous: BriefRun, language: Language): void {
    let [resolve, reject] = [(_next: SubmittedRun | null): void => {}, (_error: unknown): void => {}];
    const next = new Promise<SubmittedRun | null>((...functions) => ([resolve, reject] = functions));
    // Only synchronous callers follow a series.
    next.catch(() => {});
    const dueAtMs = Date.parse(previous.nextAttemptAt ?? '');
    const waiting: Waiting = {
      previous,
      language,
      dueAtMs,
      dueAtSteadyMs: this.#steadyTimeOf(dueAtMs, previous),
      timer: undefined,
      next,
      resolve,
      reject,
    };
    this.#waiting.set(previous.runId, waiting);
    if (this.#isStopped) reject(stopping());
    else this.#arm(waiting);
  }

  /** The same time on the steady clock. No wait is longer than the delay of its series, even after the clock was set back. */
  #steadyTimeOf(dueAtMs: number, { retries, attempt }: BriefRun): number {
    const longestMs = retries === null ? 0 : delayAfter(retries, attempt);
    const leftMs = Math.max(dueAtMs - this.#options.clock.now().getTime(), 0);
    return performance.now() + Math.min(leftMs, longestMs);
  }

  #arm(waiting: Waiting): void {
    const leftMs = this.#leftMs(waiting);
    waiting.timer = setTimeout(
      () => {
        if (this.#leftMs(waiting) > 0) this.#arm(waiting);
        else void this.#startNext(waiting);
      },
      Math.ceil(Math.min(Math.max(leftMs, 0), compareEveryMs)),
    ).unref();
  }

  /** A wait ends when either clock says so: the wall clock after a sleep, the steady one if the wall clock was set back. */
  #leftMs({ dueAtMs, dueAtSteadyMs }: Waiting): number {
    return Math.min(dueAtMs - this.#options.clock.now().getTime(), dueAtSteadyMs - performance.now());
  }

  async #startNext(waiting: Waiting): Promise<void> {
    const { previous, language, resolve } = waiting;
    try {
      const next = await this.#options.start(previous, language);
      this.#waiting.delete(previous.runId);
      resolve(next);
    } catch (error) {
      // The series was cancelled, or the service is stopping.
      if (this.#waiting.get(previous.runId) !== waiting || this.#isStopped) return;
      if (error instanceof SeriesOver) this.#giveUp(waiting, error.note);
      else this.#postpone(waiting, error);
    }
  }

  /** The attempt was refused, for example because the queue is full. It has no id, so it does not count. */
  #postpone(waiting: Waiting, error: unknown): void {
    const { store, clock, log } = this.#options;
    const { runId, retries, attempt } = waiting.previous;
    const isBroken = error instanceof AppError && error.code === 'script-unusable';
    const leastMs = isBroken ? brokenScriptMs : shortestPostponementMs;
    const delayMs = Math.max(retries === null ? 0 : delayAfter(retries, attempt), leastMs);
    const fields = { run: runId, inMs: delayMs, err: error };
    if (error instanceof AppError)
      log.warn(fields, 'the next attempt of a run was refused; it is tried again');
    else log.error(fields, 'cannot start the next attempt of a run yet');
    waiting.dueAtMs = clock.now().getTime() + delayMs;
    waiting.dueAtSteadyMs = performance.now() + delayMs;
    try {
      store.setNextAttempt(runId, new Date(waiting.dueAtMs).toISOString());
    } catch (cause) {
      log.error({ err: cause, run: runId }, 'cannot record when the next attempt is due');
    }
    this.#arm(waiting);
  }

  #giveUp(waiting: Waiting, note: Text | null): void {
    const { store, log } = this.#options;
    const { runId } = waiting.previous;
    try {
      store.setNextAttempt(runId, null);
    } catch (error) {
      log.error({ err: error, run: runId }, 'cannot record the end of a series yet');
      this.#postpone(waiting, error);
      return;
    }
    this.#abandon(waiting, note);
  }

  #abandon({ previous, language, timer, resolve }: Waiting, note: Text | null): void {
    clearTimeout(timer);
    this.#waiting.delete(previous.runId);
    resolve(null);
    this.#options.onAbandoned(previous, note === null ? null : note[language]);
    this.ends.publish({ run: { ...previous, nextAttemptAt: null }, wasCancelled: note === null });
  }
}
