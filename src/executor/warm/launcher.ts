import { fstatSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import type { Environment } from '../../execution/messages.ts';
import type { FifoPool, LentFifo, OutputPipe } from '../fifo-pool.ts';
import type { ProcessExit } from '../given-run.ts';
import { type GivenRun, nothingShared } from '../given-run.ts';
import { type Host, HostChildren, startHost } from './host.ts';

/** A start takes less than a millisecond. A launcher that has not answered after this long hangs, or the machine does. */
const longestStartMs = 3000;

/** A program that was started. */
export interface Launched {
  /** Undefined if it is not known whether the program was started. */
  readonly pid: number | undefined;
  readonly startTicks: number;
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
  readonly exited: Promise<ProcessExit>;
}

interface PendingStart {
  readonly stdout: LentFifo;
  readonly stderr: LentFifo;
  readonly deadline: NodeJS.Timeout;
  readonly settle: (launched: Launched | null) => void;
}

interface LauncherEvents {
  ready(): void;
  /** It accepts no more requests. May be called again when its process has ended. */
  ended(): void;
}

/** A small process that starts others, and reports how they end. */
class LauncherProcess {
  readonly #fifos: FifoPool;
  readonly #host: Host;
  readonly #pending = new Map<number, PendingStart>();
  readonly #children = new HostChildren();
  readonly #events: LauncherEvents;
  /** The shared environment that was sent to it last. */
  #shared: Environment | undefined;
  #nextSeq = 0;
  #isReady = false;
  /** It accepts no more requests. */
  #isOver = false;

  constructor(python: string, program: string, fifos: FifoPool, events: LauncherEvents) {
    this.#fifos = fifos;
    this.#events = events;
    // Load as little of Python as possible. UTF-8 mode makes file names independent of the user's locale.
    this.#host = startHost({ file: python, args: ['-I', '-S', '-X', 'utf8', program], env: {} }, [
      'pipe',
      'pipe',
    ]);
    this.#host.onLine((line) => this.#hear(line));
    void this.#host.silent.then(() => this.#onProcessGone());
  }

  get pid(): number | undefined {
    return this.#host.pid;
  }

  /** Returns null if the program could not be started. */
  async start({ file, args, cwd, env, shared = nothingShared }: GivenRun): Promise<Launched | null> {
    const stdout = await this.#fifos.lend();
    let stderr: LentFifo;
    try {
      stderr = await this.#fifos.lend();
    } catch (error) {
      this.#fifos.giveBack(stdout);
      throw error;
    }
    if (this.#isOver) {
      for (const fifo of [stdout, stderr]) this.#fifos.giveBack(fifo);
      return null;
    }
    const seq = this.#nextSeq++;
    return new Promise((settle) => {
      const deadline = setTimeout(() => this.#onOverdue(seq), longestStartMs).unref();
      this.#pending.set(seq, { stdout, stderr, deadline, settle });
      if (this.#shared !== shared) this.#host.send({ shared });
      this.#shared = shared;
      this.#host.send({ seq, file, args, cwd, env, stdout: stdout.path, stderr: stderr.path });
    });
  }

  /** It stays alive until it has reported the exits of all programs that it has started. */
  close(): void {
    this.#isOver = true;
    if (this.#isReady) this.#host.dismiss();
    else this.#host.kill();
  }

  #hear(line: string): void {
    const [word = '', ...rest] = line.split(' ');
    const [first = 0, second = 0, third = 0] = rest.map(Number);
    switch (word) {
      case 'ready':
        this.#isReady = true;
        this.#events.ready();
        break;
      case 'born':
        this.#addChild(first, second);
        break;
      case 'refused':
        this.#abandon(first);
        break;
      case 'ended':
        this.#children.ended(first, second, third);
        break;
    }
  }

  #addChild(seq: number, pid: number): void {
    const pending = this.#take(seq);
    if (pending === undefined) return;
    const { started, exited } = this.#children.add(pid);
    pending.settle({
      ...this.#outputsOf(pending),
      pid,
      exited,
      // Most programs have ended before this is read: their exit is reported in the same chunk, or in the next.
      get startTicks() {
        return started.ticks;
      },
    });
  }

  #abandon(seq: number): void {
    const pending = this.#take(seq);
    if (pending === undefined) return;
    for (const fifo of [pending.stdout, pending.stderr]) this.#fifos.giveBack(fifo);
    pending.settle(null);
  }

  /** The launcher may have answered while this process was blocked: its pending answers are read first. */
  #onOverdue(seq: number): void {
    setImmediate(() => {
      if (this.#pending.has(seq)) this.#giveUp();
    });
  }

  /**
   * Withdraws the pending requests, and uses this launcher no more. It is not killed while it has programs: only their
   * parent learns their exit codes, and it may continue after a pause of the whole machine.
   */
  #giveUp(): void {
    this.#isOver = true;
    for (const { stdout, stderr } of this.#pending.values())
      for (const fifo of [stdout, stderr]) this.#fifos.retire(fifo);
    // The launcher opens the pipes of a request first, and closes them after it has reported the program. It can open
    // none from here on. If it has none open, it has not begun with that request, or its report is on the way.
    const held = handlesOf(this.#host.pid);
    const withdrawn = [...this.#pending].filter(([, { stdout, stderr }]) =>
      [stdout, stderr].every(({ readFd }) => held !== null && !held.has(identityOf(fstatSync(readFd)))),
    );
    setImmediate(() => {
      for (const [seq] of withdrawn) this.#abandon(seq);
      if (this.#pending.size === 0 && this.#children.isEmpty) this.#host.kill();
      else this.#host.dismiss();
      this.#events.ended();
    });
  }

  #take(seq: number): PendingStart | undefined {
    const pending = this.#pending.get(seq);
    clearTimeout(pending?.deadline);
    this.#pending.delete(seq);
    return pending;
  }

  /** The launcher has ended and cannot report on its children any more, so this process watches them. */
  #onProcessGone(): void {
    this.#isOver = true;
    for (const seq of [...this.#pending.keys()]) {
      const pending = this.#take(seq);
      if (pending !== undefined) this.#resolveUnknown(pending);
    }
    this.#children.orphan();
    this.#events.ended();
  }

  /**
   * The launcher may have started this program without reporting it. A pipe with a writer or with output shows that it
   * did, and the program must not run twice.
   */
  #resolveUnknown(pending: PendingStart): void {
    const { stdout, stderr, settle } = pending;
    const [out, err] = [firstByteOf(stdout.readFd), firstByteOf(stderr.readFd)];
    if (out === 'untouched' && err === 'untouched') {
      for (const fifo of [stdout, stderr]) this.#fifos.giveBack(fifo);
      settle(null);
      return;
    }
    const outputs = this.#outputsOf(pending);
    const exit: ProcessExit = { code: null, signal: null, error: null, isUnseen: true };
    settle({
      stdout: out instanceof Buffer ? { ...outputs.stdout, head: out } : outputs.stdout,
      stderr: err instanceof Buffer ? { ...outputs.stderr, head: err } : outputs.stderr,
      pid: undefined,
      startTicks: 0,
      exited: Promise.resolve(exit),
    });
  }

  #outputsOf({ stdout, stderr }: PendingStart): Pick<Launched, 'stdout' | 'stderr'> {
    return { stdout: this.#fifos.asOutput(stdout), stderr: this.#fifos.asOutput(stderr) };
  }
}

/** After a launcher failed to start or was killed, the next start waits, longer each time. */
const firstPauseMs = 1000;
const longestPauseMs = 10 * 60_000;

interface LauncherOptions {
  /** The Python that runs the launcher, and its program. */
  readonly python: string;
  readonly program: string;
  readonly fifos: FifoPool;
  readonly now: () => number;
}

/**
 * Starts programs through a small process. The executor itself is large: for each start, the system copies the tables
 * of all its memory and blocks it meanwhile. That takes several times as long as the start itself.
 */
export class Launcher {
  readonly #options: LauncherOptions;
  #process: LauncherProcess | null = null;
  #isUp = false;
  #usedAtMs = 0;
  #pauseMs = firstPauseMs;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get usedAtMs(): number {
    return this.#usedAtMs;
  }

  /**
   * Returns null if the program must be started in another way: there is no launcher process yet, or it could not start
   * the program.
   */
  async start(spec: GivenRun): Promise<Launched | null> {
    // A name without a path is searched in the PATH of the script, which differs from that of the launcher process.
    if (!spec.file.startsWith('/') || spec.isVerbatim) return null;
    this.#usedAtMs = this.#options.now();
    if (this.#process === null) this.#open();
    return this.#isUp && this.#process !== null ? this.#process.start(spec) : null;
  }

  close(): void {
    const closing = this.#process;
    // Reset this first, so that its exit is not treated as a failure.
    this.#process = null;
    this.#isUp = false;
    closing?.close();
  }

  #open(): void {
    const { python, program, fifos, now } = this.#options;
    if (now() < this.#pausedUntilMs) return;
    const opened = new LauncherProcess(python, program, fifos, {
      ready: () => {
        this.#isUp = this.#process === opened;
        this.#pauseMs = firstPauseMs;
      },
      ended: () => {
        if (this.#process !== opened) return;
        this.#process = null;
        this.#isUp = false;
        this.#pausedUntilMs = now() + this.#pauseMs;
        this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
      },
    });
    this.#process = opened;
  }
}

/** Takes the first byte from a pipe. A pipe is untouched if it has no writer and nothing was written to it. */
function firstByteOf(fd: number): Buffer | 'untouched' | 'empty' {
  const byte = Buffer.alloc(1);
  try {
    return readSync(fd, byte) === 0 ? 'untouched' : byte;
  } catch {
    // The pipe has a writer that has written nothing yet.
    return 'empty';
  }
}

/** The files that a process has open; null if they cannot be read. */
function handlesOf(pid: number | undefined): Set<string> | null {
  const folder = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(folder).map((name) => statSync(`${folder}/${name}`, { throwIfNoEntry: false }));
    return new Set(files.map((file) => file && identityOf(file)).filter((each) => each !== undefined));
  } catch {
    // It has ended, and its end is about to be reported.
    return null;
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
