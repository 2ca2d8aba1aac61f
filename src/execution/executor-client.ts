import { setTimeout as wait } from 'node:timers/promises';

import type { Containment } from '../contract/values.ts';
import { AppError } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import type { ExecutorLink, Welcome } from './executor-link.ts';
import { ExecutorSet, type ExecutorSetOptions } from './executor-set.ts';
import {
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
  /**
   * Called just before a run is given to an executor, with the name of that executor. If it throws, the run is not
   * given.
   */
  given(executor: string): void;
  /** `windowless` is the reason why the run has no window although one was requested. */
  started(windowless: Text | null): void;
  timedOut(): void;
}

/** The knowledge about a run that an earlier service gave to an executor. */
export type Attachment =
  | { readonly kind: 'attached'; readonly end: Promise<RunEnd> }
  /** The executor is connected and was never given this run. */
  | { readonly kind: 'never-given' }
  /** No executor is left that could know the run. */
  | { readonly kind: 'unknown' };

interface PendingRun {
  /** Null for a run that an earlier service started: it can be awaited, but not started again. */
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
 * The runs that this service, or an earlier one, gave to executors. A broken connection can lose any message; after a
 * reconnect, the client compares its runs with those that the executor reports.
 */
export class ExecutorClient {
  /** The numbers of processes that runs left running, published some time after their end. */
  readonly counts = new Feed<readonly Count[]>();
  /** An executor was started, or the one that takes new runs has ended. */
  readonly events = new Feed<'launched' | 'lost'>();
  /**
   * The process id of the executor that takes new runs when it stops answering; null when it answers again, or has
   * ended.
   */
  readonly silence = new Feed<number | null>();
  readonly #log: Logger;
  readonly #executors: ExecutorSet;
  readonly #pending = new Map<string, PendingRun>();
  /** The runs that the executors report as running, started by this service or by an earlier one. */
  readonly #running = new Map<string, RunningProcess & { link: ExecutorLink }>();
  /** Ends of runs that no caller here awaits yet. */
  readonly #unclaimed = new Map<string, RunEnd>();
  /**
   * Runs whose end was passed to its caller and is not recorded yet. The executor must keep the end until it is
   * recorded: if this service were killed now, an executor that did not know the run would mean that the run never
   * started.
   */
  readonly #unrecorded = new Set<string>();
  #containment: Containment | null = null;
  #warm: WarmState | null = null;
  /** Counts that arrived before `catchUp` was called. */
  readonly #earlyCounts: Count[] = [];
  /** Whether every run that an earlier service left has been attached. */
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

  /** How the executor finds the processes of runs; null before there is an executor. */
  get containment(): Containment | null {
    return this.#containment;
  }

  /** The state of the warm interpreters; null until the executor that takes new runs has reported it. */
  get warm(): WarmState | null {
    return this.#warm;
  }

  get state(): ExecutorState {
    return this.#executors.state;
  }

  /** The process id of the executor that takes new runs, if it does not answer. */
  get silentPid(): number | null {
    const { current } = this.#executors;
    return current?.isSilent ? current.address.pid : null;
  }

  /** Whether there is an executor that takes new runs, and it is connected and answers. */
  get isUp(): boolean {
    return this.#executors.isUp;
  }

  /** The main processes of the running runs. */
  get processes(): ReadonlyMap<number, string> {
    const processes = new Map<number, string>();
    for (const [runId, { pid }] of this.#running) if (pid !== null) processes.set(pid, runId);
    return processes;
  }

  /** Resolves when there is an executor that takes new runs and has cleaned up what earlier executors left. */
  async connect(): Promise<void> {
    await this.#executors.letInherit(await this.#executors.usable());
  }

  /** Runs a script and resolves with its end. The caller acknowledges the end once it is safely recorded. */
  async run(spec: RunSpec, hooks: RunHooks): Promise<RunEnd> {
    const link = this.#executors.current ?? (await this.#executors.usable().catch(throwUnavailable));
    hooks.given(link.address.instance);
    return new Promise((settle) => {
      this.#pending.set(spec.runId, { spec, link, hooks, settle, stopCause: null, isStarted: false });
      link.tell({ type: 'start', spec });
    });
  }

  /** Attaches to a run that an earlier service gave to the executor with this name. */
  attach(runId: string, executor: string | null, hooks: Pick<RunHooks, 'started' | 'timedOut'>): Attachment {
    const ended = this.#unclaimed.get(runId);
    if (ended !== undefined) {
      this.#unclaimed.delete(runId);
      this.#unrecorded.add(runId);
      return { kind: 'attached', end: Promise.resolve(ended) };
    }
    const link = this.#running.get(runId)?.link ?? this.#executors.links.get(executor ?? '');
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

  /**
   * Whether this run can be stopped. An executor of another build accepts no messages and finishes its runs without us.
   */
  canStop(runId: string): boolean {
    return this.#pending.get(runId)?.link.isMute !== true;
  }

  stop(runId: string, cause: StopCause): void {
    const run = this.#pending.get(runId);
    if (run === undefined) return;
    run.stopCause ??= cause;
    run.link.tell({ type: 'stop', runId, cause: run.stopCause });
  }

  /** The size of a run's terminal, if a page shows it. */
  terminalOf(runId: string): TerminalSize | null {
    return this.#running.get(runId)?.terminal ?? null;
  }

  /**
   * Types into the terminal of a run. Returns false if the executor is not connected now; the caller can then try
   * again.
   */
  type(runId: string, piece: TypedPiece): boolean {
    return this.#sendFor(runId, { type: 'type', runId, ...piece });
  }

  /** Changes the size of the terminal; returns false as above. */
  resize(runId: string, { columns, rows }: TerminalSize): boolean {
    const run = this.#running.get(runId);
    if (run === undefined || !this.#sendFor(runId, { type: 'resize', runId, columns, rows })) return false;
    this.#running.set(runId, { ...run, terminal: { columns, rows } });
    return true;
  }

  /** The end of a run is recorded: executors need not keep it any more. */
  acknowledge(runId: string): void {
    this.#unclaimed.delete(runId);
    this.#unrecorded.delete(runId);
    // Tell all executors: an end may have passed from one executor to the next.
    this.#tellAllSoon({ type: 'acknowledge', runId });
  }

  acknowledgeCounts(runIds: readonly string[]): void {
    this.#tellAllSoon({ type: 'acknowledge-counts', runIds });
  }

  /**
   * Every run without an end is attached. An end that no caller awaits is therefore recorded; only its acknowledgement
   * was lost.
   */
  catchUp(): void {
    this.#isCaughtUp = true;
    this.#publishCounts(this.#earlyCounts.splice(0));
    for (const runId of [...this.#unclaimed.keys()]) this.acknowledge(runId);
  }

  /** Disconnects from the executors, which end when their runs have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#executors.close();
  }

  /** Compares the runs that we await with those that the executor knows. */
  #onWelcome(link: ExecutorLink, welcome: Welcome): void {
    if (this.#executors.current === link) this.#containment = welcome.containment;
    this.#forget(link);
    for (const run of welcome.running) {
      this.#running.set(run.runId, { ...run, link });
      const pending = this.#pending.get(run.runId);
      // Repeat the events that were missed while there was no connection.
      if (run.pid !== null) this.#noteStart(pending);
      if (run.isTimedOut) pending?.hooks.timedOut();
    }
    for (const end of welcome.ended) this.#settle(end);
    this.#publishCounts(welcome.counts);
    for (const [runId, run] of this.#pending) {
      if (run.link !== link) continue;
      if (!this.#running.has(runId)) {
        // The executor would know the run if the message had arrived.
        if (run.spec === null) this.#settle(endWithoutProcess(runId, 'lost'));
        else link.tell({ type: 'start', spec: run.spec });
      }
      if (run.stopCause !== null) link.tell({ type: 'stop', runId, cause: run.stopCause });
    }
  }

  #hear(link: ExecutorLink, message: FromExecutor): void {
    if (this.#executors.current === link) this.#noteWarm(message);
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
        this.#publishCounts(message.counts);
        break;
      case 'inherited':
        this.#executors.inherited();
        break;
      case 'warm':
      case 'pong':
      case 'welcome':
        break;
    }
  }

  #noteWarm(message: FromExecutor): void {
    if (message.type === 'warm') this.#warm = message.state;
    else if ((message.type === 'started' || message.type === 'ended') && message.warm)
      this.#warm = message.warm;
  }

  #onGone(link: ExecutorLink, wasCurrent: boolean): void {
    this.#forget(link);
    if (wasCurrent) this.#warm = null;
    if (wasCurrent && !this.#isClosed) {
      this.events.publish('lost');
      this.silence.publish(null);
    }
    const orphans = [...this.#pending].filter(([, run]) => run.link === link).map(([runId]) => runId);
    if (this.#isClosed || (!wasCurrent && orphans.length === 0)) return;
    if (wasCurrent) this.#log.warn({ runs: orphans.length }, 'executor has exited; starting another');
    void this.#replace(wasCurrent, orphans);
  }

  /**
   * The next executor stops the processes that the lost one left running, and may know how some runs ended; all other
   * runs are lost.
   */
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
        // The cause may be short-lived. After three attempts, the callers need not wait for the lost executor any more.
        if (pauseMs >= giveUpAtPauseMs) giveUp();
        await wait(pauseMs);
      }
    }
  }

  #publishCounts(counts: readonly Count[]): void {
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
      // The executor repeated the end while it is being recorded.
    } else if (!this.#isCaughtUp) {
      this.#unclaimed.set(end.runId, end);
    } else {
      // It was recorded before the connection broke, and the acknowledgement was lost.
      this.acknowledge(end.runId);
    }
  }

  #sendFor(runId: string, message: ToExecutor): boolean {
    const link = this.#running.get(runId)?.link;
    if (link?.isConnected !== true) return false;
    link.tell(message);
    return true;
  }

  /** Sends a message that is not urgent to all executors. */
  #tellAllSoon(message: ToExecutor): void {
    for (const link of this.#executors.links.values()) link.tellSoon(message);
  }

  /** Discards what an executor reported about its runs; it reports them again after a reconnect. */
  #forget(link: ExecutorLink): void {
    for (const [runId, run] of this.#running) if (run.link === link) this.#running.delete(runId);
  }
}

function throwUnavailable(cause: unknown): never {
  throw new AppError('executor-unavailable', {
    en: 'The executor, which runs scripts, cannot be started.',
    zh: '无法启动脚本执行进程。',
    cause,
    retryAfterS: 5,
  });
}
