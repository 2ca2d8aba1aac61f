import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../../shared/errors.ts';
import type { ProcessExit } from '../process-exit.ts';
import type { HostCommand } from './host-command.ts';
import { encodeOrder } from './warm-interpreter.ts';

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

/** Starts a host. It ends by itself when its channel is closed, so none is left when this process is killed. */
export function startHost(
  { file, args, env }: Pick<HostCommand, 'file' | 'args' | 'env'>,
  [stdout, stderr]: readonly ['pipe' | number, 'pipe' | number],
): Host {
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd: '/',
      env,
      stdio: ['ignore', stdout, stderr, 'pipe'],
      // A separate session, as for a script.
      detached: true,
    });
  } catch (error) {
    // Some failures are thrown instead of emitted: too large an environment, or too little memory.
    return failedHost(errnoOf(error) ?? String(error));
  }
  let hasExited = false;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
    child.once('error', (error) =>
      resolve({ code: null, signal: null, error: errnoOf(error) ?? error.message }),
    );
  });
  // The output of modules while they are loaded belongs to no run.
  child.stdout?.resume();
  child.stderr?.resume();
  // Without free file handles there are no streams at all, although the types say otherwise.
  const channel = child.stdio?.[3];
  const control = channel instanceof Socket ? channel : null;
  control?.on('error', () => control.destroy());
  const closed = new Promise<void>((resolve) => control?.once('close', () => resolve()));
  const kill = () => {
    if (!hasExited && child.pid !== undefined) killGroup(child.pid);
  };
  const deadline = setTimeout(kill, longestStartMs).unref();
  control?.once('data', () => clearTimeout(deadline));
  return {
    pid: child.pid,
    exited,
    silent: exited.then(async () => {
      hasExited = true;
      clearTimeout(deadline);
      if (control !== null) await Promise.race([closed, wait(settleMs, undefined, { ref: false })]);
    }),
    onLine: (receive) => control !== null && receiveLines(control, receive),
    send: (message) => void control?.write(encodeOrder(message)),
    dismiss: () => void control?.end(),
    kill,
  };
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
