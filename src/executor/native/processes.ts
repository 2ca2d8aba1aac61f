import { closeSync, constants as files, readFileSync } from 'node:fs';
import { constants as system } from 'node:os';
import { join } from 'node:path';

import { type Libc, loadLibc, newStructure, systemError } from './libc.ts';

/** How a process ended, or why it was not started. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The errno of a start that failed. */
  readonly error: string | null;
  /** Whether its exit code is unknown, because no process observed its exit. */
  readonly isUnseen?: boolean;
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables that other programs get as well: the same object for all of them. It is formatted once. */
  readonly shared?: Variables;
  /** Further variables. They replace shared ones. */
  readonly env: Variables;
  readonly cwd: string;
}

type Variables = Readonly<Record<string, string>>;

export interface StartedProcess {
  readonly pid: number;
  /** Resolves when the kernel has reported the exit. */
  readonly exited: Promise<ProcessExit>;
}

/** Where to read the output of a process. */
export interface Outputs {
  readonly stdout: number;
  readonly stderr: number;
}

/** A handle for a program: one of this process, the file at a path, opened for writing, or null for /dev/null. */
export type Handle = number | string | null;

/** A pipe whose reading end never blocks. */
export interface Pipe {
  readonly readFd: number;
  readonly writeFd: number;
  /** On Linux, another process of this user can open the pipe here, to read or write, until `release` is called. */
  readonly path: string;
  /** The writing end as a handle for `start`. */
  readonly output: Handle;
  /** Closes the writing end of this process. */
  release(): void;
}

const { errno } = system;
const [closeOnExec, setHandleFlags, setStatusFlags] = [1, 2, 4];
/** On Linux, on the processors that Node supports. */
const openCloseOnExec = 0o2000000;
const [unixDomain, stream] = [1, 1];
const withoutWaiting = 1;
const anyChild = -1;
const setChildSubreaper = 36;
const spawnFlags = { defaultSignals: 0x04, signalMask: 0x08 };
const newSession = process.platform === 'linux' ? 0x80 : 0x400;
/** This variable comes last in every start, because a warm Python has it there. */
const lastName = 'PYTHONPATH';
/** Where the system searches programs if there is no PATH. */
const defaultPath = '/bin:/usr/bin';
/** Exits to keep for `adopt`. The parent of a process is known to have ended before that many other orphans end. */
const mostStrays = 1000;

const signalNames = new Map(
  Object.entries(system.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
);

export function exitOf(code: number, signal: number): ProcessExit {
  if (signal === 0) return { code, signal: null, error: null };
  const name = signalNames.get(signal);
  // Real-time signals have no name here. The exit code states their number, as in a shell.
  if (name === undefined) return { code: 128 + signal, signal: null, error: null };
  return { code: null, signal: name, error: null };
}

/**
 * Starts programs with system calls of our own. Node's own `spawn` copies the memory tables of this process, which takes
 * several times as long as the start itself, and its pipes are sockets, which a script cannot open as `/dev/stderr`.
 * The kernel reports each exit to this process, by SIGCHLD and `waitpid`.
 */
export class NativeProcesses {
  readonly #libc: Libc;
  readonly #attributes = newStructure();
  readonly #children = new Map<number, (exit: ProcessExit) => void>();
  /** Exits of adopted processes, until `adopt` asks for them. */
  readonly #strays = new Map<number, ProcessExit>();
  readonly #onChildSignal = () => this.#reap();
  #adoptsOrphans = false;
  /** False from the moment when the kernel reports that there is no child, until the next start. */
  #mayHaveChildren = true;

  /** Null where programs can only be started through Node. */
  static load(): NativeProcesses | null {
    const libc = loadLibc();
    return libc && new NativeProcesses(libc);
  }

  private constructor(libc: Libc) {
    this.#libc = libc;
    const signals = newStructure();
    libc.sigfillset(signals);
    libc.attributes.init(this.#attributes);
    libc.attributes.setDefaultSignals(this.#attributes, signals);
    libc.attributes.setFlags(
      this.#attributes,
      newSession | spawnFlags.defaultSignals | spawnFlags.signalMask,
    );
    process.on('SIGCHLD', this.#onChildSignal);
  }

  /**
   * From now on, this process is the parent of all its descendants whose own parent has ended. It collects the exit of
   * every child from then on, so that no other part of it may start processes.
   */
  adoptOrphans(): void {
    this.#adoptsOrphans = this.#libc.prctl?.(setChildSubreaper, 1, 0, 0, 0) === 0;
  }

  close(): void {
    process.off('SIGCHLD', this.#onChildSignal);
  }

  /**
   * Starts a program in a session of its own. It gets `handles` as its first handles. Throws if it cannot be started.
   */
  start(program: Program, handles: readonly Handle[]): StartedProcess {
    const pid = this.#spawn(program, handles);
    const exited = new Promise<ProcessExit>((resolve) => this.#children.set(pid, resolve));
    return { pid, exited };
  }

  /** The same, with pipes for its output. */
  startWithOutputs(program: Program): StartedProcess & Outputs {
    const stdout = this.openPipe();
    let stderr: Pipe | undefined;
    try {
      stderr = this.openPipe();
      const started = this.start(program, [null, stdout.output, stderr.output]);
      return { ...started, stdout: stdout.readFd, stderr: stderr.readFd };
    } catch (error) {
      closeSync(stdout.readFd);
      if (stderr !== undefined) closeSync(stderr.readFd);
      throw error;
    } finally {
      // From here on, only the program and its descendants hold the writing ends.
      stdout.release();
      stderr?.release();
    }
  }

  /**
   * For a child of a process that has ended: whether this process is its parent now. Its exit is then passed to
   * `receive`.
   */
  adopt(pid: number, receive: (exit: ProcessExit) => void): boolean {
    const stray = this.#strays.get(pid);
    this.#strays.delete(pid);
    if (stray !== undefined) {
      receive(stray);
      return true;
    }
    const status = [0];
    const found = this.#libc.waitpid(pid, status, withoutWaiting);
    if (found === pid) receive(exitFrom(status));
    if (found === 0) this.#children.set(pid, receive);
    return found >= 0;
  }

  /**
   * Whether this process has adopted a process that is still alive: without one, no run has left a process behind. True
   * if that is not known.
   */
  hasOrphans(): boolean {
    if (!this.#adoptsOrphans) return true;
    if (!this.#mayHaveChildren) return false;
    try {
      const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ');
      return pids.some((pid) => pid !== '' && !this.#children.has(Number(pid)));
    } catch {
      return true;
    }
  }

  /** Another process has a new child of this id: an earlier process that had it does not matter any more. */
  forget(pid: number): void {
    this.#strays.delete(pid);
  }

  openPipe(): Pipe {
    const [readFd, writeFd] = this.#openPipeEnds();
    const path = `/proc/${process.pid}/fd/${writeFd}`;
    // A program cannot tell this from the pipe of a warm interpreter, which opens it by its path, too.
    const output = process.platform === 'linux' ? path : writeFd;
    return { readFd, writeFd, path, output, release: () => closeSync(writeFd) };
  }

  /** Two connected sockets, one for a child. */
  openChannel(): [ours: number, theirs: number] {
    return this.#keepFromPrograms(
      this.#open('socketpair', (ends) => this.#libc.socketpair(unixDomain, stream, 0, ends)),
    );
  }

  #openPipeEnds(): [number, number] {
    const { pipe, pipe2, fcntl } = this.#libc;
    // Here neither end blocks. Programs open the writing end by its path, and theirs blocks.
    if (pipe2 !== null) return this.#open('pipe2', (ends) => pipe2(ends, openCloseOnExec | files.O_NONBLOCK));
    const [readFd, writeFd] = this.#keepFromPrograms(this.#open('pipe', pipe));
    fcntl(readFd, setStatusFlags, 'int', files.O_NONBLOCK);
    return [readFd, writeFd];
  }

  /** Two connected handles. */
  #open(call: string, open: (ends: number[]) => number): [number, number] {
    const ends = [-1, -1];
    if (open(ends) !== 0) throw systemError(call, this.#libc.errno());
    const [first = -1, second = -1] = ends;
    return [first, second];
  }

  /** Programs do not inherit these handles. */
  #keepFromPrograms(ends: [number, number]): [number, number] {
    for (const fd of ends) this.#libc.fcntl(fd, setHandleFlags, 'int', closeOnExec);
    return ends;
  }

  #spawn({ file, args, shared = noVariables, env, cwd }: Program, handles: readonly Handle[]): number {
    const argv = [file, ...args];
    requireWhole([cwd, ...argv]);
    const envp = environmentFrom(shared, env);
    const { actions } = this.#libc;
    const steps = newStructure();
    actions.init(steps);
    try {
      for (const [index, fd] of handles.entries()) {
        if (typeof fd === 'string') actions.open(steps, index, fd, files.O_WRONLY, 0);
        else if (fd === null)
          actions.open(steps, index, '/dev/null', index === 0 ? files.O_RDONLY : files.O_RDWR, 0);
        else actions.dup2(steps, fd, index);
      }
      actions.chdir(steps, cwd);
      return this.#spawnFirst(placesOf(file, env.PATH ?? shared.PATH), steps, argv, envp);
    } finally {
      actions.destroy(steps);
    }
  }

  /** Starts the first of these programs that exists. */
  #spawnFirst(paths: readonly string[], steps: Buffer, argv: string[], envp: string[]): number {
    let failure: number = errno.ENOENT;
    for (const path of paths) {
      const pid = [0];
      const spawn = (program: string, words: readonly string[]) =>
        this.#libc.spawn(pid, program, steps, this.#attributes, [...words, null], [...envp, null]);
      let result = spawn(path, argv);
      // A text file without `#!` is a shell script, as for every shell.
      if (result === errno.ENOEXEC) result = spawn('/bin/sh', ['/bin/sh', path, ...argv.slice(1)]);
      if (result === 0) {
        this.#mayHaveChildren = true;
        return pid[0] ?? 0;
      }
      if (result !== errno.ENOENT) failure = result;
      if (![errno.ENOENT, errno.ENOTDIR, errno.EACCES].includes(result)) break;
    }
    throw systemError('posix_spawn', failure);
  }

  #reap(): void {
    const status = [0];
    for (const target of this.#adoptsOrphans ? [anyChild] : [...this.#children.keys()]) {
      for (;;) {
        const pid = this.#libc.waitpid(target, status, withoutWaiting);
        // Without a child there is no descendant either: it would be a child of this process, or below one.
        if (pid < 0 && target === anyChild) this.#mayHaveChildren = false;
        if (pid <= 0) break;
        this.#settle(pid, exitFrom(status));
      }
    }
  }

  #settle(pid: number, exit: ProcessExit): void {
    const receive = this.#children.get(pid);
    this.#children.delete(pid);
    if (receive !== undefined) {
      receive(exit);
      return;
    }
    this.#strays.set(pid, exit);
    const [oldest] = this.#strays.keys();
    if (this.#strays.size > mostStrays && oldest !== undefined) this.#strays.delete(oldest);
  }
}

/** Where to search a program: a name without a slash is searched in the PATH of its environment. */
function placesOf(file: string, searchPath = defaultPath): string[] {
  if (file.includes('/')) return [file];
  return searchPath.split(':').map((folder) => join(folder, file));
}

const noVariables: Variables = {};

/** The texts of shared variables, by name. */
const formatted = new WeakMap<Variables, ReadonlyMap<string, string>>();

/** The variables as the system takes them, in the order of `environmentOf`. */
function environmentFrom(shared: Variables, env: Variables): string[] {
  let known = formatted.get(shared);
  if (known === undefined) {
    known = format(shared);
    formatted.set(shared, known);
  }
  const own = format(env);
  const texts: string[] = [];
  for (const [name, text] of known) if (name !== lastName) texts.push(own.get(name) ?? text);
  for (const [name, text] of own) if (name !== lastName && !known.has(name)) texts.push(text);
  const last = own.get(lastName) ?? known.get(lastName);
  return last === undefined ? texts : [...texts, last];
}

function format(variables: Variables): Map<string, string> {
  const texts = new Map(Object.entries(variables).map(([name, value]) => [name, `${name}=${value}`]));
  requireWhole(texts.values());
  return texts;
}

/** The system would end a text at its first NUL. */
function requireWhole(texts: Iterable<string>): void {
  for (const text of texts) if (text.includes('\0')) throw systemError('posix_spawn', errno.EINVAL);
}

function exitFrom([status = 0]: readonly number[]): ProcessExit {
  return exitOf((status >> 8) & 0xff, status & 0x7f);
}
