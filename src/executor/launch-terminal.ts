import { basename } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';
import type { NativeProcesses, ProcessExit, Program } from './native/processes.ts';
import { startThroughNode } from './start-through-node.ts';

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
  processes: NativeProcesses | null,
): LaunchedTerminal {
  const [file = '', ...args] = command;
  const name = basename(file);
  let end = (): void => {};
  const failed = new Promise<Text>((resolve) => {
    try {
      const { pid, exited } = start({ file, args, env, cwd: process.cwd() }, processes);
      end = () => pid !== undefined && signalIfAlive(pid);
      void exited.then(({ code, signal, error }) => {
        end = () => {};
        if (error !== null) resolve(notStarted(name, `spawn ${file} ${error}`));
        else if (code !== 0) resolve(endedBadly(name, code, signal));
      });
    } catch (error) {
      resolve(notStarted(name, `spawn ${file} ${errnoOf(error) ?? String(error)}`));
    }
  });
  return { failed, end: () => end() };
}

function signalIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended, and its exit is reported soon.
  }
}

function start(
  program: Program,
  processes: NativeProcesses | null,
): { pid?: number | undefined; exited: Promise<ProcessExit> } {
  if (processes !== null) return processes.start(program, [null, null, null]);
  const { child, exited } = startThroughNode(program, 'ignore');
  return { pid: child.pid, exited };
}

function notStarted(name: string, why: string): Text {
  return { en: `${name} could not be started (${why})`, zh: `${name} 无法启动（${why}）` };
}

function endedBadly(name: string, code: number | null, signal: string | null): Text {
  if (signal !== null)
    return { en: `${name} was terminated by ${signal}`, zh: `${name} 被信号 ${signal} 终止` };
  return { en: `${name} exited with code ${code}`, zh: `${name} 退出，退出码 ${code}` };
}
