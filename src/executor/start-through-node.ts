import { type ChildProcess, spawn } from 'node:child_process';

import { errnoOf } from '../shared/errors.ts';
import type { ProcessExit, Program } from './native/processes.ts';

/** A process that Node has started; without an id if it could not be started. */
interface NodeProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessExit>;
}

/** Starts a program where our own system calls are not available: on Windows, and where their library has no build. */
export function startThroughNode(
  { file, args, env, cwd, isVerbatim = false }: Program & { readonly isVerbatim?: boolean },
  output: 'ignore' | 'pipe',
): NodeProcess {
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ['ignore', output, output],
    // A separate session, so that the whole group can be stopped and no terminal of ours is accessible.
    detached: true,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
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
