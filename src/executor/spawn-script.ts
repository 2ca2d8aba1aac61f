import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

import type { RunSpec, StreamCapture } from '../execution/messages.ts';
import { Capture, type PipeReader, readOutput, readStream } from './capture.ts';
import { environmentOf, type GivenRun } from './given-run.ts';
import type { NativeProcesses, Outputs, ProcessExit, StartedProcess } from './native/processes.ts';
import { startThroughNode } from './start-through-node.ts';
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

/** The means to start a script. */
interface SpawnContext {
  /** Null where programs can only be started through Node. */
  readonly processes: NativeProcesses | null;
  readonly window: Window | null;
  readonly warm: Pick<WarmPool, 'start'> | null;
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
  { processes, window, warm }: SpawnContext,
  spec: GivenRun,
  captures: Captures,
): Promise<Started> {
  if (window !== null) return spawnInWindow(spec, { window, processes }, captures);
  if (processes === null) return spawnThroughNode(spec, captures);
  const interpreter = spec.warm ? await warm?.start(spec) : null;
  return readFrom(interpreter ?? startAlone(spec, processes), captures);
}

/** Opens the files of its output before a script starts, so that it does not start if there is no space for them. */
function openBoth({ stdout, stderr }: Captures): void {
  stdout.open();
  stderr.open();
}

function startAlone(spec: GivenRun, processes: NativeProcesses): StartedProcess & Outputs {
  return processes.startWithOutputs({ ...spec, env: environmentOf(spec) });
}

function readFrom(
  { pid, startTicks, exited, stdout, stderr }: (StartedProcess & Outputs) & { startTicks?: number },
  captures: Captures,
): Started {
  // The script runs meanwhile. Most scripts write nothing to stderr, and need no file for it.
  captures.stdout.prepare();
  const readers = [readOutput(stdout, captures.stdout), readOutput(stderr, captures.stderr)];
  return { pid, startTicks, exited, readers };
}

interface Started {
  pid: number | undefined;
  startTicks?: number | undefined;
  exited: Promise<ProcessExit>;
  readers: PipeReader[];
}

async function spawnInWindow(
  spec: GivenRun,
  { window, processes }: { window: Window; processes: NativeProcesses | null },
  captures: Captures,
): Promise<Started> {
  openBoth(captures);
  const readers = [window.read(captures)];
  if (window.terminal === null) {
    const { pid, exited } = await window.start(spec);
    return { pid, exited, readers };
  }
  const { file, args, cwd } = spec;
  const env = { ...environmentOf(spec), ...window.env };
  const program = { ...commandOnTerminal({ file, args, env }, window.terminal), cwd };
  if (processes !== null) return { ...processes.start(program, [null, null, null]), readers };
  const { child, exited } = startThroughNode(program, 'ignore');
  return { pid: child.pid, exited, readers };
}

function spawnThroughNode(spec: GivenRun, captures: Captures): Started {
  openBoth(captures);
  const { child, exited } = startThroughNode({ ...spec, env: environmentOf(spec) }, 'pipe');
  const readers: PipeReader[] = [];
  if (child.stdout !== null) readers.push(readStream(child.stdout, captures.stdout));
  if (child.stderr !== null) readers.push(readStream(child.stderr, captures.stderr));
  return { pid: child.pid, exited, readers };
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
