import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { FromWindow, ToWindow } from '../../execution/window-messages.ts';
import { errnoOf } from '../../shared/errors.ts';

type StartRequest = ToWindow & { type: 'start' };

interface ScriptEvents {
  send(message: FromWindow): void;
  /** Receives output. If it returns false, reading pauses until `resume`. */
  pass(stream: 'stdout' | 'stderr', bytes: Buffer): boolean;
}

export interface ScriptInWindow {
  /** Resolves when both pipes are closed and all output has been passed on. */
  readonly written: Promise<void>;
  resume(): void;
}

/**
 * Starts the script from within the window if there is no pseudo-terminal. The script reads from the window directly, and its output is
 * passed on by this program.
 */
export function spawnInWindow(request: StartRequest, { send, pass }: ScriptEvents): ScriptInWindow {
  const child = spawn(request.file, request.args, {
    cwd: request.cwd,
    env: request.env,
    stdio: ['inherit', 'pipe', 'pipe'],
    windowsVerbatimArguments: request.isVerbatim,
  });
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('error', () => {});
    child[stream].on('data', (bytes: Buffer) => {
      if (pass(stream, bytes)) return;
      child.stdout.pause();
      child.stderr.pause();
    });
  }
  const written = new Promise<void>((resolve) => {
    child.once('spawn', () => send({ type: 'spawned', pid: child.pid ?? 0 }));
    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      send({ type: 'exited', code: null, signal: null, error: errnoOf(error) ?? error.message });
      resolve();
    });
    child.once('exit', (code, signal) => send({ type: 'exited', code, signal, error: null }));
    child.once('close', () => resolve());
  });
  return {
    written,
    resume() {
      child.stdout.resume();
      child.stderr.resume();
    },
  };
}

/** Starts a process that reads the terminal for as long as other processes write to it. */
export function startDrain(master: number): void {
  const program = fileURLToPath(new URL('./drain.js', import.meta.url));
  spawn(process.execPath, [program], { stdio: [master, 'ignore', 'ignore'], detached: true }).unref();
}
