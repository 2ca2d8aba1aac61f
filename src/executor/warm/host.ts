import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunSpec, WarmSpec } from '../../execution/messages.ts';
import { errnoOf } from '../../shared/errors.ts';
import type {
  Handle,
  NativeProcesses,
  Pipe,
  ProcessExit,
  Program,
  StartedProcess,
} from '../native/processes.ts';
import { isSameProcess, startTicksOf } from '../process-table.ts';

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
export class HostChildren {
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

/** The parameters for starting an interpreter that is interchangeable with others of its kind. */
export interface InterpreterSpec extends WarmSpec {
  readonly file: string;
  /** The environment of the runs, with a placeholder for the variable that identifies each run. */
  readonly env: Readonly<Record<string, string>>;
}

/** The command that starts a warm interpreter. */
interface HostCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The first message to the interpreter. */
  readonly config: object;
}

/** Python keeps the name of its script in memory. This placeholder has room for the longest path of Linux. */
const placeholder = '/hob-warm-python'.padEnd(4096);

/** A host overwrites its own command line with that of its run. There is room for two of the longest paths. */
export const commandLineBytes = 8192;

/** An argument of spaces is invisible in a list of processes. */
const padding = ' '.repeat(commandLineBytes);

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
export interface Host {
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

/**
 * Python starts with a placeholder as the name of its script. The host, which Python imports from `program` as its
 * `sitecustomize`, replaces it with the name of the script. PYTHONPATH comes last, because the host shortens it in
 * place.
 */
export function hostCommand(
  { language, file, options, env, preload }: InterpreterSpec,
  { program, isForked }: { program: string; isForked: boolean },
): HostCommand {
  const config = { fork: isForked, preload };
  if (language !== 'python') return { file, args: [...options, program, padding], env, config };
  const { PYTHONPATH: searchPath = null, ...rest } = env;
  return {
    file,
    args: [...options, placeholder, padding],
    env: { ...rest, PYTHONPATH: searchPath ? `${program}:${searchPath}` : program },
    config: { ...config, python_path: searchPath },
  };
}

export function orderFor(spec: RunSpec, { options, entry }: WarmSpec): Order {
  const args = spec.args.slice(options.length + 1);
  return { run_id: spec.runId, file: spec.file, options, entry, args, cwd: spec.cwd };
}

export function encodeOrder(order: object): string {
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
