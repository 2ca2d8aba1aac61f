import { closeSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { errnoOf } from '../../shared/errors.ts';
import {
  exitOf,
  type Handle,
  type NativeProcesses,
  type Pipe,
  type ProcessExit,
  type Program,
  type StartedProcess,
} from '../native/processes.ts';
import { isEnding, isSameProcess, startTicksOf } from '../run-processes.ts';
import { type HostCommand, hostCommand, type InterpreterSpec } from './host-command.ts';

/**
 * Why a fork server has ended: its modules start threads, its Python is not supported, a file that it loaded has
 * changed, or any other reason.
 */
export type ServerEnd = 'threads' | 'unfit' | 'stale' | 'gone';

interface ForkServerEvents {
  ready(): void;
  /** Called once, for any reason. Children that have a run continue. */
  ended(why: ServerEnd): void;
}

interface PendingFork {
  /** The pipe that delivers the run to the child, and the pipes for its output. */
  readonly order: Pipe;
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  readonly settle: (child: WarmInterpreter | null) => void;
}

/**
 * A Python that has loaded the modules that scripts need, and forks a child for each run. A fork takes a fraction of
 * the time of a start.
 */
export class ForkServer {
  readonly #processes: NativeProcesses;
  readonly #events: ForkServerEvents;
  readonly #host: Host;
  readonly #pending = new Map<number, PendingFork>();
  readonly #children: HostChildren;
  #nextSeq = 0;
  #isReady = false;
  #hasEnded = false;

  constructor(spec: InterpreterSpec, program: string, processes: NativeProcesses, events: ForkServerEvents) {
    this.#processes = processes;
    this.#children = new HostChildren(processes);
    this.#events = events;
    const command = hostCommand(spec, { program, isForked: true });
    this.#host = startHost(processes, command, null);
    this.#host.onLine((line) => this.#hear(line));
    void this.#host.silent.then(() => this.#onServerGone());
    this.#host.send(command.config);
  }

  get pid(): number | undefined {
    return this.#host.pid;
  }

  /**
   * Resolves with a child that waits for its run, or null if none can be forked. A child that is needed later uses the
   * time to prepare.
   */
  async fork({ isForLater = false } = {}): Promise<WarmInterpreter | null> {
    const pipes: Pipe[] = [];
    try {
      for (let count = 0; count < 3; count++) pipes.push(this.#processes.openPipe());
    } catch {
      // There are no free file handles.
    }
    const [order, stdout, stderr] = pipes;
    if (order === undefined || stdout === undefined || stderr === undefined || this.#hasEnded) {
      pipes.forEach(closeBoth);
      return null;
    }
    const seq = this.#nextSeq++;
    return new Promise((settle) => {
      this.#pending.set(seq, { order, stdout, stderr, settle });
      this.#host.send({ seq, idle: isForLater, order: order.path, stdout: stdout.path, stderr: stderr.path });
    });
  }

  /**
   * The server ends when its children have ended; until then it reports their exits. While it still loads modules, it
   * has no children and reads no messages.
   */
  close(): void {
    this.#end('gone');
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
        this.#children.ended(first, exitOf(second, third));
        break;
      case 'stale':
        this.#abandon(first);
        this.#end('stale');
        break;
      case 'threads':
      case 'unfit':
        this.#end(word);
        break;
    }
  }

  #addChild(seq: number, pid: number): void {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    this.#pending.delete(seq);
    const { order, stdout, stderr } = pending;
    const { started, exited } = this.#children.add(pid);
    // The child has opened its ends.
    closeSync(order.readFd);
    stdout.release();
    stderr.release();
    pending.settle({
      pid,
      startTicks: started.ticks,
      stdout: stdout.readFd,
      stderr: stderr.readFd,
      exited,
      // A killed child may still be able to receive its run for a moment.
      give: (run) => this.#children.has(pid) && !isEnding(pid) && send(order, run),
      discard: () => {
        order.release();
        closeSync(stdout.readFd);
        closeSync(stderr.readFd);
      },
    });
  }

  #abandon(seq: number): void {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    this.#pending.delete(seq);
    // A child that a killed server has forked without reporting it finds the end of its order, and exits.
    [pending.order, pending.stdout, pending.stderr].forEach(closeBoth);
    pending.settle(null);
  }

  #end(why: ServerEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(why);
  }

  /** The server has ended and cannot report on its children any more, so this process watches them. */
  #onServerGone(): void {
    for (const seq of [...this.#pending.keys()]) this.#abandon(seq);
    this.#children.orphan();
    this.#end('gone');
  }
}

/** The number of bytes that every system writes to a pipe at once. A longer order needs an ordinary start. */
const pipeBytes = 4096;

/** Returns whether the order was sent. If so, the pipe is closed. */
function send(pipe: Pipe, order: Order): boolean {
  const bytes = Buffer.from(encodeOrder(order));
  if (bytes.length > pipeBytes) return false;
  try {
    writeSync(pipe.writeFd, bytes);
  } catch {
    return false;
  }
  pipe.release();
  return true;
}

function closeBoth(pipe: Pipe): void {
  closeSync(pipe.readFd);
  pipe.release();
}

const pollMs = 20;

/**
 * The start time of a process, in ticks of the system clock. It is read when it is first requested, right after the
 * process was reported. A process that has ended by then is not read: that would only show its end, and take as long as
 * a small script.
 */
class StartTime {
  readonly #pid: number;
  #ticks: number | undefined;
  isOver = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Zero if it cannot be read any more. */
  get ticks(): number {
    this.#ticks ??= this.isOver ? 0 : startTicksOf(this.#pid);
    return this.#ticks;
  }
}

/** The processes that one of our host programs has started. The host reports their exits. */
class HostChildren {
  readonly #processes: NativeProcesses;
  readonly #children = new Map<number, { started: StartTime; settle: (exit: ProcessExit) => void }>();

  constructor(processes: NativeProcesses) {
    this.#processes = processes;
  }

  has(pid: number): boolean {
    return this.#children.has(pid);
  }

  /** `exited` resolves when the kernel has reported the exit to the parent of the process. */
  add(pid: number): { started: StartTime; exited: Promise<ProcessExit> } {
    this.#processes.forget(pid);
    const started = new StartTime(pid);
    const exited = new Promise<ProcessExit>((settle) => {
      this.#children.set(pid, { started, settle });
    });
    return { started, exited };
  }

  /** The parent reports that the process has ended. */
  ended(pid: number, exit: ProcessExit): void {
    const child = this.#children.get(pid);
    if (child === undefined) return;
    child.started.isOver = true;
    child.settle(exit);
    this.#children.delete(pid);
  }

  /**
   * The parent has ended and cannot report on its children any more. Where this process adopts them, the kernel reports
   * their exits to it.
   */
  orphan(): void {
    for (const [pid, { started }] of this.#children) {
      const receive = (exit: ProcessExit) => this.ended(pid, exit);
      if (!this.#processes.adopt(pid, receive)) void awaitOrphan(pid, started.ticks).then(receive);
    }
  }
}

/** A started interpreter that waits for its one run. */
export interface WarmInterpreter {
  readonly pid: number;
  readonly startTicks: number;
  /** The reading ends of its streams. They belong to the caller that gives it a run. */
  readonly stdout: number;
  readonly stderr: number;
  readonly exited: Promise<ProcessExit>;
  /** Returns whether the interpreter received the run. */
  give(order: Order): boolean;
  /** Ends an interpreter that got no run. */
  discard(): void;
}

/** A run, as it is sent to an interpreter. */
export interface Order {
  readonly run_id: string;
  readonly file: string;
  readonly options: readonly string[];
  readonly entry: string;
  /** The arguments after the entry. */
  readonly args: readonly string[];
  readonly cwd: string;
}

/**
 * Loading large modules from a slow disk takes a while. A host that takes longer than this hangs, or is not a supported
 * interpreter.
 */
const longestStartMs = 60_000;

/**
 * How long the last messages of an ended host may take to arrive, if another process still holds the other end of its
 * channel.
 */
const settleMs = 250;

/** An interpreter that runs one of our host programs, which communicates through its fourth handle. */
interface Host {
  readonly pid: number | undefined;
  readonly exited: Promise<ProcessExit>;
  /** Resolves when it has ended and all of its messages have been received. The system may report the exit first. */
  readonly silent: Promise<void>;
  onLine(receive: (line: string) => void): void;
  send(message: object): void;
  /** Closes the channel; the host ends when it has nothing left to do. */
  dismiss(): void;
  /** Kills a host that does not read its channel yet, together with the processes that its modules have started. */
  kill(): void;
}

/**
 * Starts a host. It ends by itself when its channel is closed, so none is left when this process is killed. Without
 * `outputs`, its output is discarded: that of modules while they are loaded belongs to no run.
 */
export function startHost(
  processes: NativeProcesses,
  { file, args, env }: Pick<HostCommand, 'file' | 'args' | 'env'>,
  outputs: { stdout: Handle; stderr: Handle } | null,
): Host {
  let started: StartedProcess & { control: Socket };
  try {
    started = startWithChannel(processes, { file, args, env, cwd: '/' }, outputs);
  } catch (error) {
    return failedHost(errnoOf(error) ?? String(error));
  }
  const { pid, exited, control } = started;
  let hasExited = false;
  control.on('error', () => control.destroy());
  const closed = new Promise<void>((resolve) => control.once('close', () => resolve()));
  const kill = () => {
    if (!hasExited) killGroup(pid);
  };
  const deadline = setTimeout(kill, longestStartMs).unref();
  control.once('data', () => clearTimeout(deadline));
  return {
    pid,
    exited,
    silent: exited.then(async () => {
      hasExited = true;
      clearTimeout(deadline);
      await Promise.race([closed, wait(settleMs, undefined, { ref: false })]);
    }),
    onLine: (receive) => receiveLines(control, receive),
    send: (message) => void control.write(encodeOrder(message)),
    dismiss: () => void control.end(),
    kill,
  };
}

function startWithChannel(
  processes: NativeProcesses,
  program: Program,
  outputs: { stdout: Handle; stderr: Handle } | null,
): StartedProcess & { control: Socket } {
  const [ours, theirs] = processes.openChannel();
  const discarded: Pipe[] = [];
  try {
    while (outputs === null && discarded.length < 2) discarded.push(processes.openPipe());
    const [stdout, stderr] = outputs
      ? [outputs.stdout, outputs.stderr]
      : discarded.map((pipe) => pipe.output);
    const started = processes.start(program, [null, stdout ?? null, stderr ?? null, theirs]);
    for (const { readFd } of discarded)
      new Socket({ fd: readFd, writable: false }).on('error', () => {}).resume();
    return { ...started, control: new Socket({ fd: ours, readable: true, writable: true }) };
  } catch (error) {
    for (const fd of [ours, ...discarded.map(({ readFd }) => readFd)]) closeSync(fd);
    throw error;
  } finally {
    for (const pipe of discarded) pipe.release();
    closeSync(theirs);
  }
}

function failedHost(error: string): Host {
  return {
    pid: undefined,
    exited: Promise.resolve({ code: null, signal: null, error }),
    silent: Promise.resolve(),
    onLine: () => {},
    send: () => {},
    dismiss: () => {},
    kill: () => {},
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** Calls `receive` for every line that arrives. Lines are short, and come from our own programs. */
function receiveLines(stream: Readable, receive: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
}

function encodeOrder(order: object): string {
  return `${JSON.stringify(order)}\n`;
}

/**
 * Waits for a process whose parent has ended. The kernel reports its exit code to the process that adopted it, and not
 * to this process.
 */
async function awaitOrphan(pid: number, startTicks: number): Promise<ProcessExit> {
  while (isSameProcess(pid, startTicks)) await wait(pollMs);
  return { code: null, signal: null, error: null, isUnseen: true };
}
