import { closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import type { WarmKind } from '../../execution/messages.ts';
import type { NativeProcesses, Pipe } from '../native/processes.ts';
import { isEnding, startTicksOf } from '../run-processes.ts';
import { ForkServer, type ServerEnd, startHost, type WarmInterpreter } from './fork-server.ts';
import { commandLineBytes, hostCommand, type InterpreterSpec } from './host-command.ts';

export type PrestartFailure = 'unfit' | 'gone';

interface PrestartTools {
  readonly program: string;
  readonly processes: NativeProcesses;
  /** Aborted when the interpreter is not needed any more: its modules may never finish loading. */
  readonly signal: AbortSignal;
}

/** The memory that an interpreter is assumed to need until it has been measured. */
const guessedBytes = { python: 32_000_000, 'node.js': 48_000_000 };
/** The maximum number of waiting interpreters, regardless of demand. */
const mostForked = 8;
const mostStarted = 4;
/** Starting an interpreter costs as much as a run, so the run that took the last one goes first. */
const startDelayMs = 30;
/**
 * The start of another interpreter is postponed for at most this long in favour of runs; a machine that is busy with
 * other work is never idle.
 */
const longestPostponeMs = 1000;
/** A fork takes milliseconds. A server that has not answered after this long hangs. */
const longestForkMs = 3000;
/** If no interpreter was missing for this long, one less is kept. */
const shrinkAfterMs = 30_000;
/** Measuring the memory of a process takes longer than forking one. */
const betweenMeasuresMs = 2000;
const firstPauseMs = 1000;
const longestPauseMs = 10 * 60_000;

export interface GroupTools {
  readonly processes: NativeProcesses;
  /** The host programs, by language. */
  readonly programs: Readonly<Record<WarmKind['language'], string>>;
  readonly now: () => number;
  /** Whether the memory budget allows this many more bytes. */
  mayGrow(group: WarmGroup, bytes: number): boolean;
  /** Whether there are more runnable processes than cores can handle. */
  isBusy(): boolean;
  changed(): void;
}

/** The interpreters that are interchangeable. Their number follows the number of runs that found none. */
export class WarmGroup {
  readonly spec: InterpreterSpec;
  readonly #tools: GroupTools;
  #isForked: boolean;
  #server: ForkServer | null = null;
  #isServerUp = false;
  readonly #ready: WarmInterpreter[] = [];
  readonly #waiting: ((interpreter: WarmInterpreter | null) => void)[] = [];
  #starting = 0;
  #wanted = 1;
  #usedAtMs: number;
  #missedAtMs: number;
  /** After a failure the next attempt waits, longer each time. */
  #pauseMs = firstPauseMs;
  #pausedUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #postponedSinceMs: number | null = null;
  #bytesEach: number;
  /** The memory of the first interpreter, including the server that it is forked from. */
  #bytesFirst: number;
  #memoryBytes = 0;
  /** The expected memory of interpreters that are being started, until it is measured. */
  #expectedBytes = 0;
  /** Aborted when all interpreters are ended, including those being started; a new controller replaces it. */
  #generation = new AbortController();
  #isClosed = false;
  #hasServed = false;
  #measuredAtMs = Number.NEGATIVE_INFINITY;

  constructor(spec: InterpreterSpec, tools: GroupTools) {
    this.spec = spec;
    this.#tools = tools;
    this.#isForked = spec.language === 'python';
    this.#bytesEach = guessedBytes[spec.language];
    this.#bytesFirst = this.#bytesEach;
    this.#usedAtMs = tools.now();
    this.#missedAtMs = tools.now();
  }

  get usedAtMs(): number {
    return this.#usedAtMs;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /**
   * The bytes that count against the budget, including interpreters that are not ready yet. Otherwise groups that start
   * at the same time would each find room.
   */
  get claimedBytes(): number {
    return Math.max(this.#memoryBytes, this.#expectedBytes);
  }

  /** Whether there is no interpreter, and none is being started. */
  get isEmpty(): boolean {
    return (
      this.#server === null && this.#ready.length === 0 && this.#starting === 0 && this.#timer === undefined
    );
  }

  describe(): WarmKind {
    const { language, file, preload } = this.spec;
    return {
      language,
      file,
      preload,
      isForked: this.#isForked,
      waiting: this.#ready.length,
      memoryBytes: this.#memoryBytes,
    };
  }

  /** Returns a waiting interpreter, or a new fork; null if there is neither, and the run needs an ordinary start. */
  async take(): Promise<WarmInterpreter | null> {
    const { now } = this.#tools;
    this.#usedAtMs = now();
    const ready = this.#ready.shift();
    if (ready === undefined) {
      this.#missedAtMs = now();
      // Before the first interpreter was ready, it is unknown whether one would have been enough.
      if (this.#hasServed)
        this.#wanted = Math.min(this.#wanted + 1, this.#isForked ? mostForked : mostStarted);
    } else {
      this.#hasServed = true;
    }
    const taken = ready ?? (this.#isServerUp ? await this.#awaitFork() : null);
    if (!this.#isServerUp) this.#startSoon();
    else if (taken === null) this.#replenish();
    else this.#replenishNext();
    this.#tools.changed();
    return taken;
  }

  /** Ends all waiting interpreters. */
  retire(): void {
    this.#generation.abort();
    this.#generation = new AbortController();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#postponedSinceMs = null;
    this.#isServerUp = false;
    const server = this.#server;
    // Reset this first, so that its exit is not treated as a failure.
    this.#server = null;
    server?.close();
    for (const interpreter of this.#ready.splice(0)) interpreter.discard();
    for (const settle of this.#waiting.splice(0)) settle(null);
    this.#wanted = 1;
    this.#hasServed = false;
    this.#memoryBytes = 0;
    this.#expectedBytes = 0;
    this.#tools.changed();
  }

  /**
   * Ends all interpreters for good: a waiting run gets an ordinary start, and does not cause new interpreters to be
   * started.
   */
  close(): void {
    this.#isClosed = true;
    this.retire();
  }

  /** Keeps fewer interpreters if fewer suffice, and measures their memory. */
  async review(): Promise<void> {
    if (this.#wanted > 1 && this.#tools.now() - this.#missedAtMs > shrinkAfterMs) {
      this.#missedAtMs = this.#tools.now();
      this.#wanted -= 1;
      if (this.#ready.length > this.#wanted) this.#ready.pop()?.discard();
    }
    await this.#measure();
  }

  async #awaitFork(): Promise<WarmInterpreter | null> {
    const server = this.#server;
    const deadline = setTimeout(() => {
      if (this.#server === server) this.#loseServer('gone');
    }, longestForkMs);
    const made = new Promise<WarmInterpreter | null>((resolve) => {
      this.#waiting.push(resolve);
    });
    this.#replenish();
    try {
      return await made;
    } finally {
      clearTimeout(deadline);
    }
  }

  #startSoon(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#tools.now() < this.#pausedUntilMs) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isForked) this.#startServer();
      else this.#replenish();
    }, startDelayMs);
  }

  #startServer(): void {
    if (this.#server !== null || !this.#tools.mayGrow(this, this.#bytesFirst)) return;
    this.#expectedBytes = this.#bytesFirst;
    const server = new ForkServer(this.spec, this.#tools.programs.python, this.#tools.processes, {
      ready: () => {
        if (this.#server !== server) return;
        this.#isServerUp = true;
        this.#replenish();
      },
      ended: (why) => {
        if (this.#server === server) this.#loseServer(why);
      },
    });
    this.#server = server;
  }

  #loseServer(why: ServerEnd): void {
    this.retire();
    if (why === 'threads') {
      // It cannot be forked: another thread may hold a lock that the child would wait for. Each interpreter is started
      // separately instead.
      this.#isForked = false;
      this.#startSoon();
    } else if (why !== 'stale') {
      this.#pause(why === 'unfit' ? longestPauseMs : this.#pauseMs);
    }
  }

  #pause(pauseMs: number): void {
    this.#pausedUntilMs = this.#tools.now() + pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }

  /** Replenishes after the interpreter that was taken has received its run. */
  #replenishNext(): void {
    const { signal } = this.#generation;
    setImmediate(() => {
      if (!signal.aborted) this.#replenish();
    });
  }

  /** Starts as many interpreters as are missing. */
  #replenish(): void {
    const missing = this.#wanted + this.#waiting.length - this.#ready.length - this.#starting;
    if (missing <= 0) this.#postponedSinceMs = null;
    if (this.#isForked) {
      for (let count = 0; count < missing; count++) {
        const isNeededNow = this.#waiting.length > this.#starting;
        if (!isNeededNow && !this.#tools.mayGrow(this, (this.#starting + 1) * this.#bytesEach)) break;
        // On a busy machine, the preparation of a child would take time from runs.
        const isForLater = !isNeededNow && !this.#tools.isBusy();
        this.#addWhenReady(this.#server?.fork({ isForLater }) ?? Promise.resolve(null));
      }
    } else if (missing > 0 && this.#starting === 0) {
      if (this.#mustPostpone()) {
        this.#startSoon();
        return;
      }
      if (!this.#tools.mayGrow(this, this.#bytesEach)) return;
      const { processes, programs } = this.#tools;
      const program = programs[this.spec.language];
      this.#expectedBytes = this.#memoryBytes + this.#bytesEach;
      this.#addWhenReady(prestart(this.spec, { program, processes, signal: this.#generation.signal }));
    }
  }

  /** Whether the next start must wait: runs end sooner if nothing else is started. */
  #mustPostpone(): boolean {
    const nowMs = this.#tools.now();
    this.#postponedSinceMs ??= nowMs;
    if (this.#tools.isBusy() && nowMs - this.#postponedSinceMs < longestPostponeMs) return true;
    this.#postponedSinceMs = null;
    return false;
  }

  #addWhenReady(made: Promise<WarmInterpreter | 'unfit' | 'gone' | null>): void {
    const { signal } = this.#generation;
    this.#starting += 1;
    void made.then((interpreter) => {
      this.#starting -= 1;
      if (signal.aborted) {
        // All interpreters were ended while this one was being started.
        if (typeof interpreter === 'object') interpreter?.discard();
        return;
      }
      if (interpreter === null || typeof interpreter === 'string') {
        this.#waiting.shift()?.(null);
        if (!this.#isForked) this.#expectedBytes = 0;
        if (interpreter !== null) this.#pause(interpreter === 'unfit' ? longestPauseMs : this.#pauseMs);
        return;
      }
      this.#pauseMs = firstPauseMs;
      const settle = this.#waiting.shift();
      if (settle !== undefined) settle(interpreter);
      else this.#keep(interpreter);
      if (!this.#isForked) this.#replenish();
    });
  }

  #keep(interpreter: WarmInterpreter): void {
    this.#ready.push(interpreter);
    void interpreter.exited.then(() => {
      const index = this.#ready.indexOf(interpreter);
      if (index < 0) return;
      this.#ready.splice(index, 1);
      interpreter.discard();
      this.#tools.changed();
    });
    if (this.#tools.now() - this.#measuredAtMs > betweenMeasuresMs) void this.#measure();
    this.#tools.changed();
  }

  async #measure(): Promise<void> {
    this.#measuredAtMs = this.#tools.now();
    const { signal } = this.#generation;
    const waiting = this.#ready.length;
    const pids = [this.#server?.pid, ...this.#ready.map(({ pid }) => pid)].filter((pid) => pid !== undefined);
    const sizes = await Promise.all(pids.map((pid) => memoryOf(pid)));
    // The measured processes have been ended meanwhile.
    if (signal.aborted) return;
    const total = sizes.reduce<number>((sum, size) => sum + (size ?? this.#bytesEach), 0);
    if (waiting > 0) {
      this.#expectedBytes = 0;
      this.#bytesEach = sizes.at(-1) ?? this.#bytesEach;
      this.#bytesFirst = total - (waiting - 1) * this.#bytesEach;
    }
    if (total === this.#memoryBytes) return;
    this.#memoryBytes = total;
    this.#tools.changed();
  }
}

/** Starts an interpreter that waits for its one run itself. Resolves when it is ready. */
export async function prestart(
  spec: InterpreterSpec,
  { program, processes, signal }: PrestartTools,
): Promise<WarmInterpreter | PrestartFailure> {
  const pipes: Pipe[] = [];
  try {
    pipes.push(processes.openPipe());
    pipes.push(processes.openPipe());
  } catch {
    // There are no free file handles.
  }
  const [stdout, stderr] = pipes;
  const closeStreams = () => {
    for (const { readFd } of pipes) closeSync(readFd);
  };
  if (stdout === undefined || stderr === undefined) {
    closeStreams();
    for (const pipe of pipes) pipe.release();
    return 'gone';
  }
  const command = hostCommand(spec, { program, isForked: false });
  const host = startHost(processes, command, { stdout: stdout.output, stderr: stderr.output });
  for (const pipe of pipes) pipe.release();
  signal.addEventListener('abort', host.kill);
  const answer = new Promise<string>((resolve) => host.onLine(resolve));
  host.send(command.config);
  const first = await Promise.race([answer, host.silent]);
  signal.removeEventListener('abort', host.kill);
  if (first !== 'ready' || host.pid === undefined) {
    closeStreams();
    host.kill();
    return first === 'unfit' ? 'unfit' : 'gone';
  }
  const { pid } = host;
  let isGone = false;
  void host.exited.then(() => {
    isGone = true;
  });
  return {
    pid,
    startTicks: startTicksOf(pid),
    stdout: stdout.readFd,
    stderr: stderr.readFd,
    exited: host.exited,
    give: (order) => {
      if (isGone || isEnding(pid) || bytesOf([order.entry, ...order.args]) > commandLineBytes) return false;
      host.send(order);
      host.dismiss();
      return true;
    },
    discard: () => {
      closeStreams();
      host.dismiss();
    },
  };
}

/** The size of these arguments in a command line, where each ends with a zero byte. */
function bytesOf(args: readonly string[]): number {
  return args.reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0);
}

/**
 * The memory that a process uses, including its share of memory that it shares with others; null where the system does
 * not provide it.
 */
export async function memoryOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}
