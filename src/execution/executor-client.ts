import { setTimeout as wait } from 'node:timers/promises';

import { AppError } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import type { ExecutorLink, Welcome } from './executor-link.ts';
import { ExecutorSet, type ExecutorSetOptions } from './executor-set.ts';
import {
  type Containment,
  type Count,
  type ExecutorState,
  endWithoutProcess,
  type FromExecutor,
  type RunEnd,
  type RunningProcess,
  type RunSpec,
  type StopCause,
  type TerminalSize,
  type ToExecutor,
  type TypedPiece,
  type WarmState,
} from './messages.ts';

export interface RunHooks {
  /** Called right before a run is given to an executor, with the name of that executor. What it throws keeps the run from being given. */
  given(executor: string): void;
  /** `windowless` says why it runs without the window that was asked for. */
  started(windowless: Text | null): void;
  timedOut(): void;
}

/** What is known of a run that an earlier service had given to an executor. */
export type Attachment =
  | { readonly kind: 'attached'; readonly end: Promise<RunEnd> }
  /** The executor is there and was never given this run. */
  | { readonly kind: 'never-given' }
  /** Nobody is left who could know. */
  | { readonly kind: 'unknown' };

interface PendingRun {
  /** Null for a run that an earlier service started: it can be waited for, but not started again. */
  readonly spec: RunSpec | null;
  readonly link: ExecutorLink;
  readonly hooks: Pick<RunHooks, 'started' | 'timedOut'>;
  readonly settle: (end: RunEnd) => void;
  stopCause: StopCause | null;
  isStarted: boolean;
}

const firstRetryMs = 250;
const longestRetryMs = 5000;
/** Three attempts. */
const giveUpAtPauseMs = 1000;

/**
 * The runs that this service has given to executors, or that an earlier one had. Every message can get lost with a connection;
 * whatever matters is compared with what the executor knows when it is back.
 */
export class ExecutorClient {
  /** How many processes runs have left running, told some time after they ended. */
  readonly counts = new Feed<readonly Count[]>();
  /** An executor was started, or the one that takes runs has ended. */
  readonly events = new Feed<'launched' | 'lost'>();
  /** The process id of the executor that takes runs when it does not answer any more; null when it answers again, or is gone. */
  readonly silence = new Feed<number | null>();
  readonly #log: Logger;
  readonly #executors: ExecutorSet;
  readonly #pending = new Map<string, PendingRun>();
  /** What the executors say that they run, for us or for an earlier service. */
  readonly #running = new Map<string, RunningProcess & { link: ExecutorLink }>();
  /** Ends that nobody here waits for yet. */
  readonly #unclaimed = new Map<string, RunEnd>();
  /**
   * Runs whose end was handed on and is not on record yet. Until it is, the executor must keep it: if we were killed now, one that
   * knew nothing of the run would mean that it had never begun.
   */
  readonly #unrecorded = new Set<string>();
  #containment: Containment | null = null;
  /** What was counted before there was anybody to tell. */
  readonly #earlyCounts: Count[] = [];
  /** Whether every run that an earlier service left has been taken up. */
  #isCaughtUp = false;
  #isClosed = false;

  constructor(options: ExecutorSetOptions) {
    this.#log = options.log;
    this.#executors = new ExecutorSet(options, {
      launched: () => this.events.publish('launched'),
      welcomed: (link, welcome) => this.#onWelcome(link, welcome),
      heard: (link, message) => this.#hear(link, message),
      silenceChanged: () => this.silence.publish(this.silentPid),
      gone: (link, wasCurrent) => this.#onGone(link, wasCurrent),
    });
  }

  /** How the processes of runs are kept together; null before there is an executor. */
  get containment(): Containment | null {
    return this.#containment;
  }

  /** How the interpreters stand that wait for runs; null before the executor that takes runs has said so. */
  get warm(): WarmState | null {
    return this.#executors.warm;
  }

  get state(): ExecutorState {
    return this.#executors.state;
  }

  /** The process id of the executor that takes runs, if it does not answer. */
  get silentPid(): number | null {
    const { state, pid } = this.#executors.state;
    return state === 'silent' ? pid : null;
  }

  /** Whether there is an executor that takes runs, and it can be talked to. */
  get isUp(): boolean {
    return this.#executors.isUp;
  }

  /** The leading processes of the runs under way. */
  get processes(): ReadonlyMap<number, string> {
    const processes = new Map<number, string>();
    for (const [runId, { pid }] of this.#running) if (pid !== null) processes.set(pid, runId);
    return processes;
  }

  /** Resolves when there is an executor that takes runs, and knows what those before it have left. */
  async connect(): Promise<void> {
    await this.#executors.letInherit(await this.#executors.usable());
  }

  /** Runs a script and resolves with its end, which is to be acknowledged once it is safely recorded. */
  async run(spec: RunSpec, hooks: RunHooks): Promise<RunEnd> {
    const link = await this.#executors.usable().catch((error: unknown) => {
      throw new AppError(
        'executor-unavailable',
        { en: 'The executor, which runs scripts, cannot be started.', zh: '无法启动脚本执行进程。' },
        { cause: error, retryAfterS: 5 },
      );
    });
    hooks.given(link.address.instance);
    return new Promise((settle) => {
      this.#pending.set(spec.runId, { spec, link, hooks, settle, stopCause: null, isStarted: false });
      link.tell({ type: 'start', spec });
    });
  }

  /** Takes up a run that an earlier service gave to the executor of this name. */
  attach(runId: string, executor: string | null, hooks: Pick<RunHooks, 'started' | 'timedOut'>): Attachment {
    const ended = this.#unclaimed.get(runId);
    if (ended !== undefined) {
      this.#unclaimed.delete(runId);
      this.#unrecorded.add(runId);
      return { kind: 'attached', end: Promise.resolve(ended) };
    }
    const link = this.#running.get(runId)?.link ?? this.#executors.find(executor);
    if (link === undefined) return { kind: 'unknown' };
    if (link.isConnected && !this.#running.has(runId)) return { kind: 'never-given' };
    const end = new Promise<RunEnd>((settle) => {
      this.#pending.set(runId, { spec: null, link, hooks, settle, stopCause: null, isStarted: false });
    });
    const running = this.#running.get(runId);
    if (running !== undefined && running.pid !== null) this.#noteStart(this.#pending.get(runId));
    if (running?.isTimedOut) hooks.timedOut();
    return { kind: 'attached', end };
  }

  /** Whether this run can be stopped: not by an executor of another build, which finishes it on its own. */
  canStop(runId: string): boolean {
    return this.#pending.get(runId)?.link.isMute !== true;
  }

  stop(runId: string, cause: StopCause): void {
    const run = this.#pending.get(runId);
    if (run === undefined) return;
    run.stopCause ??= cause;
    run.link.tell({ type: 'stop', runId, cause: run.stopCause });
  }

  /** The size of the terminal of a run that has one for a page. */
  terminalOf(runId: string): TerminalSize | null {
    return this.#running.get(runId)?.terminal ?? null;
  }

  /** Types into it. False when it cannot be told to the executor now; the same can be tried again then. */
  type(runId: string, piece: TypedPiece): boolean {
    return this.#tellOf(runId, { type: 'type', runId, ...piece });
  }

  /** Gives it another size; false as above. */
  resize(runId: string, { columns, rows }: TerminalSize): boolean {
    const run = this.#running.get(runId);
    if (run === undefined || !this.#tellOf(runId, { type: 'resize', runId, columns, rows })) return false;
    this.#running.set(runId, { ...run, terminal: { columns, rows } });
    return true;
  }

  /** The end of a run is on record: whoever keeps it need not any more. */
  acknowledge(runId: string): void {
    this.#unclaimed.delete(runId);
    this.#unrecorded.delete(runId);
    // All are told: an end may have passed from one executor to the next.
    this.#executors.tellAllSoon({ type: 'acknowledge', runId });
  }

  acknowledgeCounts(runIds: readonly string[]): void {
    this.#executors.tellAllSoon({ type: 'acknowledge-counts', runIds });
  }

  /** Every run without an end has been taken up: an end that nobody waits for is on record, only its acknowledgement got lost. */
  catchUp(): void {
    this.#isCaughtUp = true;
    this.#passOn(this.#earlyCounts.splice(0));
    for (const runId of [...this.#unclaimed.keys()]) this.acknowledge(runId);
  }

  /** Leaves the executors to themselves: they end when their runs have. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#executors.close();
  }

  /** What we wait for is compared with what the executor knows. */
  #onWelcome(link: ExecutorLink, welcome: Welcome): void {
    if (this.#executors.isCurrent(link)) this.#containment = welcome.containment;
    this.#forget(link);
    for (const run of welcome.running) {
      this.#running.set(run.runId, { ...run, link });
      const pending = this.#pending.get(run.runId);
      // What was said while nobody heard it.
      if (run.pid !== null) this.#noteStart(pending);
      if (run.isTimedOut) pending?.hooks.timedOut();
    }
    for (const end of welcome.ended) this.#settle(end);
    this.#passOn(welcome.counts);
    for (const [runId, run] of this.#pending) {
      if (run.link !== link) continue;
      if (!this.#running.has(runId)) {
        // It would know the run if the message had arrived.
        if (run.spec === null) this.#settle(endWithoutProcess(runId, 'lost'));
        else link.tell({ type: 'start', spec: run.spec });
      }
      if (run.stopCause !== null) link.tell({ type: 'stop', runId, cause: run.stopCause });
    }
  }

  #hear(link: ExecutorLink, message: FromExecutor): void {
    switch (message.type) {
      case 'started':
        this.#running.set(message.runId, { ...message, isTimedOut: false, link });
        this.#noteStart(this.#pending.get(message.runId), message.windowless ?? null);
        break;
      case 'timed-out':
        this.#pending.get(message.runId)?.hooks.timedOut();
        break;
      case 'ended':
        this.#settle(message.end);
        break;
      case 'counted':
        this.#passOn(message.counts);
        break;
      case 'warm':
      case 'inherited':
      case 'pong':
      case 'welcome':
        break;
    }
  }

  #onGone(link: ExecutorLink, wasCurrent: boolean): void {
    this.#forget(link);
    if (wasCurrent && !this.#isClosed) {
      this.events.publish('lost');
      this.silence.publish(null);
    }
    const orphans = [...this.#pending].filter(([, run]) => run.link === link).map(([runId]) => runId);
    if (this.#isClosed || (!wasCurrent && orphans.length === 0)) return;
    if (wasCurrent) this.#log.warn({ runs: orphans.length }, 'executor has exited; starting another');
    void this.#replace(wasCurrent, orphans);
  }

  /** The next executor ends what the lost one left running, and may know how some of it had ended; the rest is lost. */
  async #replace(wasCurrent: boolean, orphans: readonly string[]): Promise<void> {
    const giveUp = () => {
      for (const runId of orphans) {
        if (this.#pending.has(runId)) this.#settle(endWithoutProcess(runId, 'lost'));
      }
    };
    for (let pauseMs = firstRetryMs; !this.#isClosed; pauseMs = Math.min(2 * pauseMs, longestRetryMs)) {
      try {
        const link = await this.#executors.usable();
        if (!wasCurrent) await this.#executors.letInherit(link);
        giveUp();
        return;
      } catch (error) {
        this.#log.error({ err: error }, 'cannot start an executor');
        // It may be a matter of moments; after that, those who wait for the old one need not.
        if (pauseMs >= giveUpAtPauseMs) giveUp();
        await wait(pauseMs);
      }
    }
  }

  #passOn(counts: readonly Count[]): void {
    if (!this.#isCaughtUp) this.#earlyCounts.push(...counts);
    else if (counts.length > 0) this.counts.publish(counts);
  }

  #noteStart(run: PendingRun | undefined, windowless: Text | null = null): void {
    if (run === undefined || run.isStarted) return;
    run.isStarted = true;
    run.hooks.started(windowless);
  }

  #settle(end: RunEnd): void {
    const run = this.#pending.get(end.runId);
    this.#pending.delete(end.runId);
    this.#running.delete(end.runId);
    if (run !== undefined) {
      this.#unrecorded.add(end.runId);
      run.settle(end);
    } else if (this.#unrecorded.has(end.runId)) {
      // Told again while it is being written down.
    } else if (!this.#isCaughtUp) {
      this.#unclaimed.set(end.runId, end);
    } else {
      // It was recorded before the connection broke, and the acknowledgement was lost.
      this.acknowledge(end.runId);
    }
  }

  #tellOf(runId: string, message: ToExecutor): boolean {
    const link = this.#running.get(runId)?.link;
    if (link?.isConnected !== true) return false;
    link.tell(message);
    return true;
  }

  /** What was known of an executor's runs, before it says so anew. */
  #forget(link: ExecutorLink): void {
    for (const [runId, run] of this.#running) if (run.link === link) this.#running.delete(runId);
  }
}
