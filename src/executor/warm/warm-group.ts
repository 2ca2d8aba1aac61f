import type { WarmKind } from '../../execution/messages.ts';
import type { FifoPool } from '../fifo-pool.ts';
import { ForkServer, type ServerEnd } from './fork-server.ts';
import { memoryOf } from './memory.ts';
import { prestart } from './prestart.ts';
import type { InterpreterSpec, WarmInterpreter } from './warm-interpreter.ts';

/** What one is taken to need before it was looked at. */
const guessedBytes = { python: 32_000_000, 'node.js': 48_000_000 };
/** So many wait at most, however many were missed at once. */
const mostForked = 8;
const mostStarted = 4;
/** Starting one takes as much of the machine as a run does: the run that took the last one goes first. */
const startDelayMs = 30;
/** So long whoever waits for the end of a run is spared the start of another one; a machine that others keep busy is never idle. */
const longestPutOffMs = 1000;
/** A fork takes milliseconds. A server that has made none after so long does not answer any more. */
const longestForkMs = 3000;
/** When nobody was missed for so long, one less is kept. */
const shrinkAfterMs = 30_000;
/** Looking at the memory of a process takes longer than making one. */
const betweenMeasuresMs = 2000;
const firstPauseMs = 1000;
const longestPauseMs = 10 * 60_000;

export interface GroupTools {
  readonly fifos: FifoPool;
  /** The programs that wait, by language. */
  readonly programs: Readonly<Record<WarmKind['language'], string>>;
  readonly now: () => number;
  /** Whether there is memory for so much more. */
  mayGrow(group: WarmGroup, bytes: number): boolean;
  /** Whether there is more to run than there are cores. */
  isBusy(): boolean;
  changed(): void;
}

/** The interpreters that can stand in for one another: how many wait follows how many were missed. */
export class WarmGroup {
  readonly spec: InterpreterSpec;
  readonly #tools: GroupTools;
  #isForked: boolean;
  #server: ForkServer | null = null;
  #isServerUp = false;
  readonly #ready: WarmInterpreter[] = [];
  readonly #waiting: ((interpreter: WarmInterpreter | null) => void)[] = [];
  #coming = 0;
  #wanted = 1;
  #usedAtMs: number;
  #missedAtMs: number;
  /** After a failure the next attempt waits, longer each time. */
  #pauseMs = firstPauseMs;
  #pausedUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #putOffSinceMs: number | null = null;
  #bytesEach: number;
  /** What the first of them takes, with the server that it is forked from. */
  #bytesFirst: number;
  #memoryBytes = 0;
  /** What those that are being started are expected to take, until it can be seen. */
  #expectedBytes = 0;
  /** Aborted when all are ended, those on their way included; then there is another. */
  #era = new AbortController();
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

  /** What is taken of the budget, by those that are not there yet, too: kinds that are started at once would each find room. */
  get claimedBytes(): number {
    return Math.max(this.#memoryBytes, this.#expectedBytes);
  }

  /** Whether there is nothing, and nothing on its way. */
  get isEmpty(): boolean {
    return (
      this.#server === null && this.#ready.length === 0 && this.#coming === 0 && this.#timer === undefined
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

  /** One that waits, or a fork that is made at once; null when there is neither, and the run is to be started cold. */
  async take(): Promise<WarmInterpreter | null> {
    const { now } = this.#tools;
    this.#usedAtMs = now();
    const ready = this.#ready.shift();
    if (ready === undefined) {
      this.#missedAtMs = now();
      // Before there was one, nobody can tell whether one would have been enough.
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

  /** Ends all that wait. */
  retire(): void {
    this.#era.abort();
    this.#era = new AbortController();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#putOffSinceMs = null;
    this.#isServerUp = false;
    const server = this.#server;
    // First, so that its end is not taken for a failure.
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

  /** Ends all, for good: a run that waits for one is started cold, and makes no more of them start. */
  close(): void {
    this.#isClosed = true;
    this.retire();
  }

  /** Keeps fewer, when fewer will do, and looks how much memory they take. */
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
    const patience = setTimeout(() => {
      if (this.#server === server) this.#loseServer('gone');
    }, longestForkMs);
    const made = new Promise<WarmInterpreter | null>((resolve) => {
      this.#waiting.push(resolve);
    });
    this.#replenish();
    try {
      return await made;
    } finally {
      clearTimeout(patience);
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
    const server = new ForkServer(this.spec, this.#tools.programs.python, this.#tools.fifos, {
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
      // It cannot be forked: another thread may hold a lock that the child would wait for. Each is started by itself instead.
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

  /** Once the one that was taken has been given its run. */
  #replenishNext(): void {
    const { signal } = this.#era;
    setImmediate(() => {
      if (!signal.aborted) this.#replenish();
    });
  }

  /** Makes as many as are missing. */
  #replenish(): void {
    const missing = this.#wanted + this.#waiting.length - this.#ready.length - this.#coming;
    if (missing <= 0) this.#putOffSinceMs = null;
    if (this.#isForked) {
      for (let count = 0; count < missing; count++) {
        const isNeededNow = this.#waiting.length > this.#coming;
        if (!isNeededNow && !this.#tools.mayGrow(this, (this.#coming + 1) * this.#bytesEach)) break;
        // On a busy machine the time that it takes to get ready is taken from runs.
        const isForLater = !isNeededNow && !this.#tools.isBusy();
        this.#await(this.#server?.fork({ isForLater }) ?? Promise.resolve(null));
      }
    } else if (missing > 0 && this.#coming === 0) {
      if (this.#putOff()) {
        this.#startSoon();
        return;
      }
      if (!this.#tools.mayGrow(this, this.#bytesEach)) return;
      const { fifos, programs } = this.#tools;
      const program = programs[this.spec.language];
      this.#expectedBytes = this.#memoryBytes + this.#bytesEach;
      this.#await(prestart(this.spec, { program, fifos, signal: this.#era.signal }));
    }
  }

  /** Whether the next start has to wait: whoever waits for the end of a run gets on faster if nothing else is started. */
  #putOff(): boolean {
    const nowMs = this.#tools.now();
    this.#putOffSinceMs ??= nowMs;
    if (this.#tools.isBusy() && nowMs - this.#putOffSinceMs < longestPutOffMs) return true;
    this.#putOffSinceMs = null;
    return false;
  }

  #await(made: Promise<WarmInterpreter | 'unfit' | 'gone' | null>): void {
    const { signal } = this.#era;
    this.#coming += 1;
    void made.then((interpreter) => {
      this.#coming -= 1;
      if (signal.aborted) {
        // All were ended while this one was on its way.
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
    const { signal } = this.#era;
    const waiting = this.#ready.length;
    const pids = [this.#server?.pid, ...this.#ready.map(({ pid }) => pid)].filter((pid) => pid !== undefined);
    const sizes = await Promise.all(pids.map((pid) => memoryOf(pid)));
    // What was looked at has been ended meanwhile.
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
