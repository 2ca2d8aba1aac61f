import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { projectRoot, tempFolder } from './hob.ts';
import { findProgram, has, testPath } from './needs.ts';
import { until } from './until.ts';

export const hasTmux = has('tmux', findProgram('tmux') !== null);

/** A real terminal with a program in it. */
export interface Tmux {
  /** What a person sees. */
  screen(): string;
  /** Types a text as it is. */
  type(text: string): void;
  /** Presses a key by its name: Enter, Tab, C-c. */
  press(...keys: string[]): void;
  /** Waits until this stands on the screen. */
  shows(text: string | RegExp): Promise<unknown>;
}

/** The folder to put before PATH so that `hob` is the one under test. */
export async function hobOnPath(): Promise<string> {
  const folder = await tempFolder();
  execFileSync('ln', ['-s', join(projectRoot, 'bin', 'hob.js'), join(folder, 'hob')]);
  return `${folder}:${testPath}`;
}

/** Starts a program in a terminal of its own, which is gone when the test ends. */
export async function openTmux(
  words: readonly string[],
  { env = {}, cwd, lines = 40 }: { env?: Record<string, string>; cwd?: string; lines?: number } = {},
): Promise<Tmux> {
  const socket = join(await tempFolder(), 'tmux');
  const tmux = (...args: string[]) =>
    String(
      execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
        env: {
          ...process.env,
          CI: undefined,
          PATH: testPath,
          NODE_V8_COVERAGE: '',
          LC_ALL: 'C.UTF-8',
          ...env,
        },
        ...(cwd !== undefined && { cwd }),
      }),
    );
  tmux('new-session', '-d', '-x', '100', '-y', String(lines), ...words);
  tmux('set-option', '-g', 'remain-on-exit', 'on');
  onTestFinished(() => {
    tmux('kill-server');
  });
  const screen = () => tmux('capture-pane', '-p');
  return {
    screen,
    type: (text) => void tmux('send-keys', '-l', '--', text),
    press: (...keys) => void tmux('send-keys', ...keys),
    shows: (text) =>
      until(`the screen has ${text}`, async () =>
        typeof text === 'string' ? screen().includes(text) : text.test(screen()),
      ),
  };
}
