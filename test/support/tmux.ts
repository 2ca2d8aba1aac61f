import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { projectRoot, tempFolder } from './hob.ts';
import { findProgram, has, testPath } from './needs.ts';
import { until } from './until.ts';

export const hasTmux = has('tmux', findProgram('tmux') !== null);

/** An interactive terminal and its screen. */
export interface Terminal {
  /** All lines that are not empty. */
  screen(): string;
  /** Waits until the text is on the screen, and returns the screen. */
  shows(text: string | RegExp): Promise<string>;
  /** Presses keys by their names: Enter, Tab, C-c. */
  press(...keys: string[]): void;
  /** Types a text literally. */
  type(text: string): void;
}

interface TerminalOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly columns?: number;
  readonly lines?: number;
}

/** A folder to prepend to PATH, so that `hob` is the one under test. */
export async function hobOnPath(): Promise<string> {
  const folder = await tempFolder();
  await symlink(join(projectRoot, 'bin', 'hob.js'), join(folder, 'hob'));
  return `${folder}:${testPath}`;
}

/** Starts a program in its own terminal, which is closed when the test ends. */
export async function openTmux(
  words: readonly string[],
  { env = {}, cwd = projectRoot, columns = 100, lines = 40 }: TerminalOptions = {},
): Promise<Terminal> {
  // A separate tmux server does not touch the developer's sessions, and ends with the test.
  const socket = join(await tempFolder(), 'tmux');
  const tmux = (...args: string[]) =>
    String(
      execFileSync('tmux', ['-S', socket, '-f', '/dev/null', '-u', ...args], {
        cwd,
        env: {
          ...process.env,
          CI: undefined,
          TMUX: undefined,
          PATH: testPath,
          NODE_V8_COVERAGE: '',
          LC_ALL: 'C.UTF-8',
          ...env,
        },
      }),
    );
  tmux('new-session', '-d', '-x', String(columns), '-y', String(lines), ...words);
  tmux('set-option', '-g', 'remain-on-exit', 'on');
  onTestFinished(() => {
    tmux('kill-server');
  });
  const screen = () => {
    const seen = tmux('capture-pane', '-p').split('\n');
    return seen
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .join('\n');
  };
  return {
    screen,
    shows: (text) =>
      until(`${text} is on the screen`, async () => {
        const seen = screen();
        return (typeof text === 'string' ? seen.includes(text) : text.test(seen)) && seen;
      }),
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', '--', text),
  };
}

/** Runs the `hob` command in a terminal of 80 columns. Its exit code is printed below as `[exit 0]`. */
export function runInTmux(args: readonly string[], options: TerminalOptions): Promise<Terminal> {
  const words = [process.execPath, join(projectRoot, 'bin', 'hob.js'), ...args].map((word) => `'${word}'`);
  // Without the trap, Ctrl-C would also end the shell, which then could not print the exit code.
  const command = `trap : INT; ${words.join(' ')}; echo "[exit $?]"; exec sleep 600`;
  return openTmux([command], { columns: 80, lines: 24, ...options });
}
