import { spawn } from 'node:child_process';
import { basename } from 'node:path';

import type { Text } from '../shared/text.ts';

export interface LaunchedTerminal {
  /**
   * Resolves with the reason if the emulator could not be started or exits with an error. Success means nothing: some
   * emulators pass the window to a server process and exit.
   */
  readonly failed: Promise<Text>;
  /** Ends an emulator whose window did not open. */
  end(): void;
}

/**
 * Starts a terminal emulator with a command to run in its window. The emulator outlives this process, like any program
 * of its user.
 */
export function launchTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): LaunchedTerminal {
  const [file = '', ...args] = command;
  const name = basename(file);
  let end = (): void => {};
  const failed = new Promise<Text>((resolve) => {
    try {
      const child = spawn(file, args, { env, stdio: 'ignore', detached: true });
      child.once('error', (error) => resolve(notStarted(name, error.message)));
      child.once('exit', (code, signal) => {
        end = () => {};
        if (code !== 0) resolve(endedBadly(name, code, signal));
      });
      end = () => child.kill('SIGTERM');
    } catch (error) {
      resolve(notStarted(name, String(error)));
    }
  });
  return { failed, end: () => end() };
}

function notStarted(name: string, why: string): Text {
  return { en: `${name} could not be started (${why})`, zh: `${name} 无法启动（${why}）` };
}

function endedBadly(name: string, code: number | null, signal: string | null): Text {
  if (signal !== null)
    return { en: `${name} was terminated by ${signal}`, zh: `${name} 被信号 ${signal} 终止` };
  return { en: `${name} exited with code ${code}`, zh: `${name} 退出，退出码 ${code}` };
}
