import type { FiringReason } from '../../src/contract/firings.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createLogger } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { SqliteTriggerStore } from '../../src/storage/sqlite-trigger-store.ts';
import type { FiringRequest, FiringResult, FiringRuns } from '../../src/triggers/firing-runs.ts';
import type { OffReason } from '../../src/triggers/schedule/position.ts';
import { Schedules } from '../../src/triggers/schedule/schedules.ts';
import type { WallTimer } from '../../src/triggers/schedule/wall-timer.ts';
import type { ScheduleTrigger } from '../../src/triggers/trigger.ts';
import type { StoredFiring, TriggerStore } from '../../src/triggers/trigger-store.ts';

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

interface Alarm {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that passes only when the test says so. */
export class SimulatedTime {
  wall: number;
  zone = 'Europe/Berlin';
  /** Timers that have fired. */
  calls = 0;
  /** Runs that were requested. */
  requests = 0;
  /** For long times and few schedules: waits only after a timer that starts a run. */
  isQuick = false;
  #steady = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(start: string) {
    this.wall = Date.parse(start);
  }

  /** The time of one service. `stop` drops all its timers, as the end of a process does. */
  timer(): WallTimer & { stop: () => void } {
    let isStopped = false;
    return {
      now: () => this.wall,
      steady: () => this.#steady,
      zone: () => this.zone,
      after: (delayMs, callback) => this.after(delayMs, () => !isStopped && callback()),
      stop: () => {
        isStopped = true;
      },
    };
  }

  after(delayMs: number, callback: () => void): () => void {
    const alarm = { at: this.#steady + Math.max(delayMs, 0), callback };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const end = this.#steady + ms;
    await settled();
    for (let alarm = this.#first(end); alarm !== undefined; alarm = this.#first(end)) {
      this.#alarms.delete(alarm);
      this.#move(alarm.at);
      this.calls++;
      const { requests } = this;
      alarm.callback();
      for (let turn = 0; turn < 10 && this.isQuick; turn++) await Promise.resolve();
      if (!this.isQuick || this.requests > requests) await settled();
    }
    this.#move(end);
  }

  async passUntil(time: string): Promise<void> {
    await this.pass(Date.parse(time) - this.wall);
  }

  /** The machine sleeps, or its user sets the clock: wall time moves alone. */
  jump(ms: number): void {
    this.wall += ms;
  }

  #first(end: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms)
      if (alarm.at <= end && (first === undefined || alarm.at < first.at)) first = alarm;
    return first;
  }

  #move(steady: number): void {
    this.wall += steady - this.#steady;
    this.#steady = steady;
  }
}

/** All work that waits for no timer is done. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

interface FakeRun {
  readonly runId: string;
  readonly triggerId: string;
  readonly key: string | null;
  readonly startedAt: number;
  state: 'live' | 'succeeded' | 'failed';
}

/** The runs of triggers. Like those of the executor, they outlive the service. */
export class FakeRuns {
  readonly started: FakeRun[] = [];
  /** How long a run takes; null: until the test ends it. */
  durationMs: number | null = 0;
  isFailing = false;
  refusal: { reason: FiringReason; isLasting: boolean } | null = null;
  keysKeptMs = dayMs;
  readonly #time: SimulatedTime;
  readonly #keys = new Map<string, FakeRun>();
  readonly #listeners = new Set<Parameters<FiringRuns['onEnd']>[0]>();

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  /** The interface for one service. */
  view(isStopped: () => boolean): FiringRuns {
    return {
      start: (request) => this.#start(request, isStopped),
      find: (_trigger, key) => this.#find(key)?.runId ?? null,
      endOf: (runId) => this.started.find((run) => run.runId === runId)?.state ?? 'unknown',
      isLive: (triggerId) => this.live(triggerId).length > 0,
      onEnd: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  live(triggerId: string): FakeRun[] {
    return this.#live.get(triggerId) ?? [];
  }

  end(run: FakeRun, isSuccess = !this.isFailing): void {
    if (run.state !== 'live') return;
    run.state = isSuccess ? 'succeeded' : 'failed';
    const { triggerId, runId } = run;
    this.#live.set(
      triggerId,
      this.live(triggerId).filter((one) => one !== run),
    );
    for (const listener of this.#listeners) listener({ triggerId, runId, isSuccess });
  }

  /** The slots of the runs that were started, in order. */
  slots(triggerId: string): string[] {
    return this.started
      .filter((run) => run.triggerId === triggerId)
      .map(({ key }) => key?.slice(`schedule:${triggerId}:`.length) ?? '');
  }

  readonly #live = new Map<string, FakeRun[]>();

  #find(key: string): FakeRun | null {
    const run = this.#keys.get(key);
    const isKept =
      run !== undefined && (run.state === 'live' || run.startedAt >= this.#time.wall - this.keysKeptMs);
    return isKept ? run : null;
  }

  async #start({ trigger, key }: FiringRequest, isStopped: () => boolean): Promise<FiringResult> {
    this.#time.requests++;
    await Promise.resolve();
    // A process that was killed starts nothing more.
    if (isStopped()) return new Promise(() => {});
    const known = key === null ? null : this.#find(key);
    if (known !== null) return { kind: 'started', runId: known.runId, isRepeat: true };
    if (this.refusal !== null) {
      const error = new AppError('queue-full', { en: 'refused by the test', zh: '测试拒绝' });
      return { kind: 'refused', error, ...this.refusal };
    }
    const run: FakeRun = {
      runId: `run-${this.started.length}`,
      triggerId: trigger.id,
      key,
      startedAt: this.#time.wall,
      state: 'live',
    };
    this.started.push(run);
    if (key !== null) this.#keys.set(key, run);
    this.#live.set(trigger.id, [...this.live(trigger.id), run]);
    if (this.durationMs !== null) this.#time.after(this.durationMs, () => this.end(run));
    return { kind: 'started', runId: run.runId, isRepeat: false };
  }
}

export function schedule(fields: Partial<ScheduleTrigger> = {}): ScheduleTrigger {
  return {
    kind: 'schedule',
    id: 'one',
    script: 'script',
    scriptId: 'script',
    data: undefined,
    params: {},
    retries: undefined,
    valuesProblem: null,
    cron: null,
    everyMs: fields.cron ? null : hourMs,
    timezone: null,
    missed: 'once',
    missedWithinMs: dayMs,
    overlap: 'skip',
    jitterMs: 0,
    ...fields,
  };
}

/** Schedules with simulated time, runs and restarts, and the real store. */
export class ScheduleScene {
  readonly time: SimulatedTime;
  readonly runs: FakeRuns;
  readonly store: SqliteTriggerStore;
  readonly notices: string[] = [];
  readonly unable = new Map<string, OffReason>();
  readonly #database = openDatabase(':memory:');
  #running: { schedules: Schedules; stop: () => void } | null = null;
  #triggers: readonly ScheduleTrigger[] = [];
  /** Wraps the store of the next service. */
  wrapStore: (store: TriggerStore) => TriggerStore = (store) => store;

  constructor(start = '2026-03-01T12:00:30.000Z') {
    this.time = new SimulatedTime(start);
    this.runs = new FakeRuns(this.time);
    this.store = new SqliteTriggerStore(this.#database);
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  get schedules(): Schedules {
    if (this.#running === null) throw new Error('no service runs');
    return this.#running.schedules;
  }

  /** Stores which triggers are on, and starts the service if it does not run. */
  async set(...triggers: ScheduleTrigger[]): Promise<void> {
    this.#triggers = triggers;
    if (this.#running === null) await this.start();
    else this.schedules.update(triggers);
    await this.time.pass(1);
  }

  get triggers(): readonly ScheduleTrigger[] {
    return this.#triggers;
  }

  async startWith(...triggers: ScheduleTrigger[]): Promise<void> {
    this.#triggers = triggers;
    await this.start();
  }

  async start(): Promise<void> {
    const timer = this.time.timer();
    let isStopped = false;
    const runs = this.runs.view(() => isStopped);
    let unsubscribe = (): void => {};
    const schedules = new Schedules({
      store: this.wrapStore(this.store),
      runs: { ...runs, onEnd: (listener) => (unsubscribe = runs.onEnd(listener)) },
      timer,
      log: await silentLog,
      notify: ({ en }) => this.notices.push(en),
      unable: () => this.unable,
      keysKeptMs: this.runs.keysKeptMs,
    });
    this.#running = {
      schedules,
      stop() {
        isStopped = true;
        timer.stop();
        unsubscribe();
      },
    };
    schedules.update(this.#triggers);
    await this.time.pass(1);
  }

  /** Ends the service without letting it do anything more. */
  kill(): void {
    this.#running?.stop();
    this.#running = null;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    await running?.schedules.close();
    this.kill();
  }

  /** All firings of a schedule, the oldest first. */
  firings(id = 'one'): StoredFiring[] {
    return [...this.store.page(id, { before: null, limit: 100_000 }).firings].reverse();
  }

  /** Slot, and the run or the reason. */
  outcomes(id = 'one'): string[] {
    return this.firings(id).map(({ dueAt, outcome, reason }) => `${dueAt.slice(0, 19)} ${reason ?? outcome}`);
  }

  close(): void {
    this.kill();
    this.#database.close();
  }
}

const silentLog = createLogger('silent');
