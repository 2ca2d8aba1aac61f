import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { onTestFinished } from 'vitest';

import { projectRoot, tempFolder } from './hob.ts';
import { findProgram, has, testPath } from './needs.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export const hasTmux = has('tmux', findProgram('tmux') !== null);

/** A terminal that a person could sit at, and what stands on its screen. */
export interface Terminal {
  /** All lines that have something on them. */
  screen(): Promise<string>;
  /** Waits until something stands there, and returns the screen. */
  see(text: string | RegExp): Promise<string>;
  /** Presses keys by their names: C-c is Ctrl-C. */
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
}

/** Runs the `hob` command in a terminal of 80 columns; its exit code is written below it as `[exit 0]`. */
export async function runInTmux(
  args: readonly string[],
  { env, cwd = projectRoot }: { env: Record<string, string>; cwd?: string },
): Promise<Terminal> {
  // A server of its own: nothing of the person's own is touched, and all of it goes with the test.
  const socket = join(await tempFolder(), 'tmux');
  const tmux = (...words: string[]) =>
    run('tmux', ['-S', socket, '-f', '/dev/null', '-u', ...words], {
      cwd,
      env: { ...process.env, CI: undefined, PATH: testPath, NODE_V8_COVERAGE: '', TMUX: undefined, ...env },
    });
  const words = [process.execPath, join(projectRoot, 'bin', 'hob.js'), ...args].map((word) => `'${word}'`);
  // A shell that is interrupted together with the command would go with it, and could not say how it ended.
  const command = `trap : INT; ${words.join(' ')}; echo "[exit $?]"; exec sleep 600`;
  await tmux('new-session', '-d', '-x', '80', '-y', '24', command);
  onTestFinished(async () => {
    await tmux('kill-server');
  });
  const screen = async () => {
    const { stdout } = await tmux('capture-pane', '-p');
    const lines = stdout.split('\n').map((line) => line.trimEnd());
    return lines.filter((line) => line !== '').join('\n');
  };
  return {
    screen,
    see: (text) =>
      until(`${text} is on the screen`, async () => {
        const seen = await screen();
        return (typeof text === 'string' ? seen.includes(text) : text.test(seen)) && seen;
      }),
    async press(...keys) {
      await tmux('send-keys', ...keys);
    },
    async type(text) {
      await tmux('send-keys', '-l', text);
    },
  };
}
