import type { Logger } from '../../shared/log.ts';
import type { Text } from '../../shared/text.ts';
import type { FiringRuns } from '../firing-runs.ts';
import type { ScheduleTrigger, Trigger, TriggerDriver, TriggerStatus } from '../trigger.ts';
import type { TriggerStore } from '../trigger-store.ts';
import { clockNotice } from './alarm.ts';
import { DueQueue } from './due-queue.ts';
import { type OffReason, type Position, parsePosition } from './position.ts';
import { Schedule } from './schedule.ts';
import { Upcoming } from './upcoming.ts';
import type { WallTimer } from './wall-timer.ts';

interface SchedulesOptions {
  store: TriggerStore;
  runs: FiringRuns;
  timer: WallTimer;
  log: Logger;
  /** Shows the user what went wrong. */
  notify: (text: Text, trigger?: Trigger) => void;
  /** The triggers that are on, but cannot start runs. */
  unable: () => ReadonlyMap<string, OffReason>;
  /** How long the key of a run is kept. */
  keysKeptMs: number;
}

/** Timers stand still while the machine sleeps, and wall time may jump. So it is compared at least this often. */
const compareEveryMs = 30_000;
/** Runs that start at once. */
const mostStarting = 16;
/** Other requests wait no longer than this for schedules. */
const sliceMs = 10;
/** After an error of the store, for example while the disk is full. */
const retryMs = 15_000;
/** All schedules notice a clock that was set back within this time. */
const sameResetMs = 60_000;
/** A smaller correction is usual when a machine that runs two systems has started. */
const noticedResetMs = 24 * 3_600_000;

/** Fires all schedules with one timer. */
export class Schedules implements TriggerDriver<ScheduleTrigger> {
  readonly #options: SchedulesOptions;
  readonly #upcoming: Upcoming;
  readonly #schedules = new Map<string, Schedule>();
  readonly #queue = new DueQueue<Schedule>();
  /** Schedules that are due and wait for their turn. */
  readonly #ready = new Set<Schedule>();
  readonly #working = new Map<Schedule, Promise<void>>();
  /** Ends that came before the first triggers. */
  #earlyEnds: { triggerId: string; isSuccess: boolean }[] | null = [];
  readonly #unsubscribe: () => void;
  #cancelTimer = (): void => {};
  #cancelRetry = (): void => {};
  /** The wall time at which the timer is to fire. */
  #armedFor: number | null = null;
  #sliceEnd = 0;
  /** Whether other requests have their turn. */
  #isPaused = false;
  /** The wall time at the last call of the timer. */
  #lastNow = -Infinity;
  #lastZone = '';
  #lastResetAt = -Infinity;
  #isClosed = false;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.#upcoming = new Upcoming(options.timer);
    this.#unsubscribe = options.runs.onEnd((end) => this.#noteEnd(end));
  }

  update(triggers: readonly ScheduleTrigger[]): void {
    if (this.#isClosed) return;
    this.#cancelRetry();
    let isDone = false;
    try {
      isDone = this.#apply(triggers);
    } catch (error) {
      this.#options.log.error({ err: error }, 'cannot store which schedules are on');
    }
    if (!isDone) this.#cancelRetry = this.#options.timer.after(retryMs, () => this.update(triggers));
    const ends = this.#earlyEnds ?? [];
    this.#earlyEnds = null;
    for (const end of ends) this.#noteEnd(end);
    this.#arm();
  }

  status(trigger: ScheduleTrigger): TriggerStatus {
    const schedule = this.#schedules.get(trigger.id);
    const isOn = schedule?.trigger === trigger;
    const { next, words } = this.#upcoming.of(trigger, isOn ? schedule.at : null);
    return { next, words, address: null, problem: isOn ? schedule.problem : null };
  }

  /** Waits for runs that are being started, so that they are on record. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelTimer();
    this.#cancelRetry();
    for (const schedule of this.#schedules.values()) schedule.close();
    await Promise.all(this.#working.values());
  }

  /** Returns whether all changes are stored. */
  #apply(triggers: readonly ScheduleTrigger[]): boolean {
    const { store, timer, log } = this.#options;
    if (this.#schedules.size === 0)
      for (const [id, text] of store.positions()) {
        const position = parsePosition(text);
        if (position !== null) this.#add(id, position);
      }
    const on = new Set(triggers.map(({ id }) => id));
    const now = timer.now();
    let unable: ReadonlyMap<string, OffReason> | undefined;
    const reasonOf = (id: string): OffReason => {
      unable ??= this.#options.unable();
      return unable.get(id) ?? 'paused';
    };
    let isDone = true;
    const attempt = (id: string, change: () => void) => {
      try {
        change();
      } catch (error) {
        isDone = false;
        log.error({ err: error, trigger: id }, 'cannot store that a schedule was changed');
      }
    };
    // One transaction: there may be thousands.
    store.atomically(
      () => {
        for (const schedule of this.#schedules.values())
          if (!on.has(schedule.id))
            attempt(schedule.id, () => {
              if (schedule.turnOff(reasonOf)) this.#queue.set(schedule, now);
            });
        for (const trigger of triggers) {
          const schedule = this.#schedules.get(trigger.id) ?? this.#add(trigger.id, null);
          attempt(trigger.id, () => {
            if (schedule.turnOn(trigger)) this.#queue.set(schedule, now);
          });
        }
      },
      { durable: false },
    );
    return isDone;
  }

  #add(id: string, position: Position | null): Schedule {
    const schedule = new Schedule(id, position, {
      ...this.#options,
      onReset: (from, to) => this.#noteReset(from, to),
    });
    this.#schedules.set(id, schedule);
    return schedule;
  }

  #noteEnd(end: { triggerId: string; isSuccess: boolean }): void {
    const { log, timer } = this.#options;
    if (this.#earlyEnds !== null) {
      this.#earlyEnds.push(end);
      return;
    }
    const schedule = this.#schedules.get(end.triggerId);
    if (schedule === undefined) return;
    try {
      schedule.noteEnd(end.isSuccess);
    } catch (error) {
      log.error({ err: error, trigger: end.triggerId }, 'cannot store how the run of a schedule ended');
    }
    if (schedule.trigger === null) return;
    // A slot may wait for this end.
    this.#queue.set(schedule, timer.now());
    this.#arm();
  }

  #noteReset(from: number, to: number): void {
    const { log, timer, notify } = this.#options;
    if (timer.steady() - this.#lastResetAt < sameResetMs) return;
    this.#lastResetAt = timer.steady();
    log.warn(
      { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      'the clock was set back; schedules go on from now',
    );
    if (from - to > noticedResetMs) notify(clockNotice(from, to));
  }

  /** Sets the timer for the first schedule that is due. */
  #arm(): void {
    const due = this.#queue.firstDue;
    if (this.#isClosed || due === null || (this.#armedFor !== null && this.#armedFor <= due)) return;
    const { timer } = this.#options;
    this.#cancelTimer();
    const now = timer.now();
    const delayMs = Math.min(Math.max(due - now, 0), compareEveryMs);
    this.#armedFor = now + delayMs;
    this.#cancelTimer = timer.after(delayMs, () => this.#tick());
  }

  #tick(): void {
    this.#armedFor = null;
    const { timer, log } = this.#options;
    const now = timer.now();
    const backMs = this.#lastNow - now;
    if (backMs > 0) log.info({ backMs }, 'the clock was set back');
    const zone = timer.zone();
    // After a change of the clock or the zone, the times at which schedules wanted to be called may be wrong.
    if (backMs > 0 || zone !== this.#lastZone)
      for (const schedule of this.#schedules.values())
        if (schedule.trigger !== null) this.#queue.set(schedule, now);
    this.#lastNow = now;
    this.#lastZone = zone;
    for (const schedule of this.#queue.takeDue(now)) this.#ready.add(schedule);
    this.#beginSlice();
    this.#arm();
  }

  #beginSlice(): void {
    this.#isPaused = false;
    this.#sliceEnd = this.#options.timer.steady() + sliceMs;
    this.#pump();
  }

  #pump(): void {
    const { timer } = this.#options;
    for (const schedule of this.#ready) {
      if (this.#isClosed || this.#isPaused || this.#working.size >= mostStarting) return;
      if (timer.steady() > this.#sliceEnd) {
        this.#isPaused = true;
        timer.after(0, () => this.#beginSlice());
        return;
      }
      // Its next turn comes when it has finished.
      if (this.#working.has(schedule)) continue;
      this.#ready.delete(schedule);
      this.#working.set(schedule, this.#work(schedule));
    }
  }

  async #work(schedule: Schedule): Promise<void> {
    const { timer, log } = this.#options;
    let due: number | null;
    try {
      due = await schedule.work();
    } catch (error) {
      log.error({ err: error, trigger: schedule.id }, 'cannot store what became of a slot yet');
      due = timer.now() + retryMs;
    }
    this.#working.delete(schedule);
    // A run may have ended since it finished.
    const asked = this.#queue.dueOf(schedule);
    if (due !== null && (asked === null || due < asked)) this.#queue.set(schedule, due);
    this.#pump();
    this.#arm();
  }
}
