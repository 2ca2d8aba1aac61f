import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

import { errnoOf } from '../../shared/errors.ts';
import type { ProcessExit } from '../process-exit.ts';
import { receiveLines } from './receive-lines.ts';
import { encodeOrder, type InterpreterSpec } from './warm-interpreter.ts';

/** An interpreter that runs a program of ours, which speaks with us through its fourth handle. */
export interface Host {
  readonly pid: number | undefined;
  readonly exited: Promise<ProcessExit>;
  onLine(receive: (line: string) => void): void;
  send(message: object): void;
  /** Nothing more will be sent; it ends when it has nothing left to do. */
  dismiss(): void;
}

/** Starts one. Without anybody to speak to it ends by itself, so none is left when we are killed. */
export function startHost(
  spec: InterpreterSpec,
  program: string,
  [stdout, stderr]: readonly ['pipe' | number, 'pipe' | number],
): Host {
  const child = spawn(spec.file, [...spec.options, program], {
    cwd: '/',
    env: spec.env,
    stdio: ['ignore', stdout, stderr, 'pipe'],
    // A session of its own, as a script has.
    detached: true,
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
    child.once('error', (error) =>
      resolve({ code: null, signal: null, error: errnoOf(error) ?? error.message }),
    );
  });
  // What modules print while they are loaded belongs to no run.
  child.stdout?.resume();
  child.stderr?.resume();
  const [, , , channel] = child.stdio;
  const control = channel instanceof Socket ? channel : null;
  control?.on('error', () => control.destroy());
  return {
    pid: child.pid,
    exited,
    onLine: (receive) => control !== null && receiveLines(control, receive),
    send: (message) => void control?.write(encodeOrder(message)),
    dismiss: () => void control?.end(),
  };
}
