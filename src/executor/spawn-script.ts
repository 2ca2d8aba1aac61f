import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

import type { RunSpec, StreamCapture } from '../execution/messages.ts';
import { errnoOf } from '../shared/errors.ts';
import { Capture } from './capture.ts';
import { closeBoth, type Fifo, type FifoPool } from './fifo-pool.ts';
import type { ProcessExit } from './given-run.ts';
import { environmentOf, type GivenRun, nothingShared } from './given-run.ts';
import { type PipeReader, readFifo, readOutput, readStream } from './pipe-reader.ts';
import type { WarmInterpreter } from './warm/host.ts';
import type { Launched } from './warm/launcher.ts';
import type { WarmPool } from './warm/warm-pool.ts';
import type { Window } from './window.ts';

/**
 * Opens the terminal given as `$0`, which makes it the controlling terminal of this session leader, then executes the
 * script. Without the first line, SIGHUP would end all processes that a script leaves running in a window together with
 * the script.
 */
const onTerminal = `trap '' HUP
exec <>"$0" >&0 2>&0
exec "$@"`;

/** The number of bytes that the kernel reads to recognize the type of a file. */
const startBytes = 256;

type Command = Pick<RunSpec, 'file' | 'args' | 'env'>;

/** The process of a script, whose output is being read. */
export interface SpawnedScript {
  readonly pid: number | undefined;
  /** Its start time in ticks of the system clock; undefined if it was not read. */
  readonly startTicks: number | undefined;
  /** How the process ended, or why it was not started. */
  readonly exited: Promise<ProcessExit>;
  /** From now on, output is read when it arrives, and not only at the end. Called for a script that runs longer. */
  attend(): void;
  /** Writes all output so far to the log files. Called once, when the process has ended. */
  settle(): Promise<{ stdout: StreamCapture; stderr: StreamCapture }>;
  /** Resolves when no process holds its streams any more. */
  readonly streamsClosed: Promise<unknown>;
}

/** The possible sources of a script's streams: our pipes, or the terminal of a window. */
interface SpawnContext {
  /** Null on Windows. */
  readonly fifos: FifoPool | null;
  readonly window: Window | null;
  readonly warm: Pick<WarmPool, 'start' | 'launch'> | null;
}

/** The only place where scripts are started. */
export async function spawnScript(spec: GivenRun, context: SpawnContext): Promise<SpawnedScript> {
  const stdout = new Capture(join(spec.runFolder, 'stdout.log'), spec.outputLogBytes);
  const stderr = new Capture(join(spec.runFolder, 'stderr.log'), spec.outputLogBytes);
  try {
    return await spawnCaptured(spec, context, { stdout, stderr });
  } catch (error) {
    await Promise.all([stdout.settle(), stderr.settle()]);
    throw error;
  }
}

interface Captures {
  readonly stdout: Capture;
  readonly stderr: Capture;
}

async function spawnCaptured(
  spec: GivenRun,
  context: SpawnContext,
  captures: Captures,
): Promise<SpawnedScript> {
  const { pid, startTicks, exited, readers } = await spawnIn(context, spec, captures);
  const { stdout, stderr } = captures;
  return {
    pid,
    startTicks,
    exited,
    attend() {
      // Readers of the output find the log files.
      stdout.prepare();
      stderr.prepare();
      for (const reader of readers) reader.attend?.();
    },
    async settle() {
      for (const reader of readers) await reader.drain();
      // Both at the same time: from here on, neither accepts the output of a process that outlives the run.
      const [out, err] = await Promise.all([stdout.settle(), stderr.settle()]);
      return { stdout: out, stderr: err };
    },
    streamsClosed: Promise.all(readers.map((reader) => reader.closed)),
  };
}

async function spawnIn(
  { fifos, window, warm }: SpawnContext,
  spec: GivenRun,
  captures: Captures,
): Promise<Started> {
  if (window !== null || fifos === null) {
    openBoth(captures);
    return window === null ? spawnWithStreams(spec, captures) : spawnInWindow(spec, window, captures);
  }
  const interpreter = spec.warm ? await warm?.start(spec) : null;
  if (interpreter) return startedAs(interpreter, captures);
  const launched = await warm?.launch(spec);
  if (launched) return startedAs(launched, captures);
  openBoth(captures);
  return spawnWithFifos(spec, fifos, captures);
}

/** Before the script starts: it is not started if there is no space for its output. */
function openBoth({ stdout, stderr }: Captures): void {
  stdout.open();
  stderr.open();
}

function startedAs(
  { pid, startTicks, exited, stdout, stderr }: Launched | WarmInterpreter,
  captures: Captures,
): Started {
  // The script runs meanwhile. Most scripts write nothing to stderr, and need no file for it.
  captures.stdout.prepare();
  const readers = [readOutput(stdout, captures.stdout), readOutput(stderr, captures.stderr)];
  return { pid, startTicks, exited, readers };
}

interface Process {
  child: ChildProcess;
  exited: Promise<ProcessExit>;
}

interface Started {
  pid: number | undefined;
  startTicks?: number;
  exited: Promise<ProcessExit>;
  readers: PipeReader[];
}

async function spawnInWindow(spec: GivenRun, window: Window, captures: Captures): Promise<Started> {
  const readers = [window.read(captures)];
  if (window.terminal === null) {
    const { pid, exited } = await window.start(spec);
    return { pid, exited, readers };
  }
  const { file, args } = spec;
  const env = { ...environmentOf(spec), ...window.env };
  const command = { ...commandOnTerminal({ file, args, env }, window.terminal), shared: nothingShared };
  const { child, exited } = start({ ...spec, ...command }, ['ignore', 'ignore', 'ignore']);
  return { pid: child.pid, exited, readers };
}

async function spawnWithFifos(
  spec: GivenRun,
  fifos: FifoPool,
  { stdout, stderr }: Captures,
): Promise<Started> {
  const out = await fifos.take();
  let err: Fifo;
  try {
    err = await fifos.take();
  } catch (error) {
    closeBoth(out);
    throw error;
  }
  let started: Process;
  try {
    started = start(spec, ['ignore', out.writeFd, err.writeFd]);
  } catch (error) {
    closeBoth(out);
    closeBoth(err);
    throw error;
  }
  // From here on, only the script and its descendants hold the writing ends.
  closeSync(out.writeFd);
  closeSync(err.writeFd);
  const readers = [readFifo(out.readFd, stdout), readFifo(err.readFd, stderr)];
  return { pid: started.child.pid, exited: started.exited, readers };
}

function spawnWithStreams(spec: GivenRun, { stdout, stderr }: Captures): Started {
  const { child, exited } = start(spec, ['ignore', 'pipe', 'pipe']);
  const readers: PipeReader[] = [];
  if (child.stdout !== null) readers.push(readStream(child.stdout, stdout));
  if (child.stderr !== null) readers.push(readStream(child.stderr, stderr));
  return { pid: child.pid, exited, readers };
}

function start(spec: GivenRun, stdio: ('ignore' | 'pipe' | number)[]): Process {
  const child = spawn(spec.file, spec.args, {
    cwd: spec.cwd,
    env: environmentOf(spec),
    stdio,
    // A separate session, so that the whole group can be stopped and no terminal of ours is accessible.
    detached: true,
    windowsHide: true,
    windowsVerbatimArguments: spec.isVerbatim,
  });
  // Attach the listeners at once: a failed spawn emits its error in the next tick, and an unhandled error ends this
  // process.
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
    child.on('error', (error) => {
      if (child.pid === undefined)
        resolve({ code: null, signal: null, error: errnoOf(error) ?? error.message });
    });
  });
  return { child, exited };
}

/** The command that runs another one on a terminal. Throws if the other command cannot be started. */
function commandOnTerminal({ file, args, env }: Command, terminal: string): Command {
  // Check first: if the program were missing, the shell in between would exit with a code of its own.
  checkProgram(file);
  const words = ['-c', onTerminal, terminal, ...restoreOdd(env, file), file, ...args];
  return { file: '/bin/sh', args: words, env };
}

function checkProgram(file: string): void {
  if (!isAbsolute(file)) return;
  accessSync(file, constants.X_OK);
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(readStart(file))?.[1] ?? '';
  if (isAbsolute(interpreter)) accessSync(interpreter, constants.X_OK);
}

function readStart(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const start = Buffer.alloc(startBytes);
    return start.toString('utf8', 0, readSync(fd, start));
  } catch {
    // Some programs can be started but not read.
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Many shells drop variables whose names are not valid in a shell, for example exported functions of bash. This sets
 * them again.
 */
function restoreOdd(env: Readonly<Record<string, string>>, file: string): string[] {
  const odd = Object.entries(env).filter(([name]) => !/^[a-z_][a-z0-9_]*$/i.test(name));
  // `env` would take a path that contains this character for a variable.
  if (odd.length === 0 || file.includes('=')) return [];
  return ['/usr/bin/env', '--', ...odd.map(([name, value]) => `${name}=${value}`)];
}
