import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../../shared/errors.ts';
import type { ProcessExit } from '../process-exit.ts';
import type { HostCommand } from './host-command.ts';
import { receiveLines } from './receive-lines.ts';
import { encodeOrder } from './warm-interpreter.ts';

/** Loading large modules from a slow disk takes a while; what takes longer than this hangs, or is no interpreter that we know. */
const longestStartMs = 60_000;
/** How long what it said before its end may take to reach us, should somebody else hold the other end. */
const settleMs = 250;

/** An interpreter that runs a program of ours, which speaks with us through its fourth handle. */
export interface Host {
  readonly pid: number | undefined;
  readonly exited: Promise<ProcessExit>;
  /** Resolves when it has ended and all that it has said was heard. The system may tell of the end first. */
  readonly silent: Promise<void>;
  onLine(receive: (line: string) => void): void;
  send(message: object): void;
  /** Nothing more will be sent; it ends when it has nothing left to do. */
  dismiss(): void;
  /** Ends one that does not listen yet, and what the modules that it loads have started. */
  kill(): void;
}

/** Starts one. Without anybody to speak to it ends by itself, so none is left when we are killed. */
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
      // A session of its own, as a script has.
      detached: true,
    });
  } catch (error) {
    // Some failures are thrown, others told: too large an environment, or too little memory.
    return unstarted(errnoOf(error) ?? String(error));
  }
  let hasExited = false;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
    child.once('error', (error) =>
      resolve({ code: null, signal: null, error: errnoOf(error) ?? error.message }),
    );
  });
  // What modules print while they are loaded belongs to no run.
  child.stdout?.resume();
  child.stderr?.resume();
  // Without file handles there are no streams at all, whatever the types say.
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

function unstarted(error: string): Host {
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
    // It has ended by itself.
  }
}
