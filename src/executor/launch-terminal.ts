import { spawn } from 'node:child_process';
import { basename } from 'node:path';

export interface LaunchedTerminal {
  /**
   * Resolves with what is wrong, when the emulator could not be started or says that it failed. That it ends well says
   * nothing: some hand the window to a server of theirs and are done.
   */
  readonly failed: Promise<string>;
  /** Ends an emulator of which no window came. */
  end(): void;
}

/** Starts a terminal emulator with a command to run in its window. It outlives us, like any program of its user. */
export function launchTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): LaunchedTerminal {
  const [file = '', ...args] = command;
  const name = basename(file);
  let end = (): void => {};
  const failed = new Promise<string>((resolve) => {
    try {
      const child = spawn(file, args, { env, stdio: 'ignore', detached: true });
      child.once('error', (error) => resolve(`${name} could not be started (${error.message})`));
      child.once('exit', (code, signal) => {
        end = () => {};
        if (code !== 0) resolve(`${name} ended with ${signal ?? `exit code ${code}`}`);
      });
      end = () => child.kill('SIGTERM');
    } catch (error) {
      resolve(`${name} could not be started (${String(error)})`);
    }
  });
  return { failed, end: () => end() };
}
