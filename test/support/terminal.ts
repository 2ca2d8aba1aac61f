import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { projectRoot } from './hob.ts';
import { findProgram, has, testPath } from './needs.ts';

export const hasTerminal = has('script', findProgram('script') !== null);

/** A command at work in a terminal of its own. */
export interface TerminalSession {
  /** All that was written, as it came. */
  written(): string;
  /** What a person sees: one text a line. */
  lines(): string[];
  /** Presses keys: `\u0003` is Ctrl-C. */
  type(keys: string): void;
  readonly ended: Promise<number | null>;
}

/** Runs the `hob` command in a terminal that has so many columns. */
export function runInTerminal(
  args: readonly string[],
  { columns = 80, env = {} }: { columns?: number; env?: Record<string, string> } = {},
): TerminalSession {
  const words = [process.execPath, join(projectRoot, 'bin', 'hob.js'), ...args];
  const command = `stty cols ${columns}; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A terminal of a person: in a build, nobody gets colours.
    env: { ...process.env, CI: undefined, PATH: testPath, NODE_V8_COVERAGE: '', TERM: 'xterm', ...env },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  onTestFinished(() => {
    child.kill();
  });
  const written = () => Buffer.concat(chunks).toString();
  return {
    written,
    lines: () => linesOnScreen(written()),
    type: (keys) => child.stdin.write(keys),
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
}

/** Stands for the command that erases the rest of a line. */
const erased = '\ue000';

/** What stands on the screen after all this was written: a line may have been written over, or erased from a place on. */
function linesOnScreen(written: string): string[] {
  const lines: string[] = [''];
  let column = 0;
  for (const piece of written.replaceAll('\u001b[K', erased).split(/(\r|\n|\ue000)/u)) {
    const line = lines.at(-1) ?? '';
    if (piece === '\r') column = 0;
    else if (piece === '\n') lines.push('');
    else if (piece === erased) lines[lines.length - 1] = line.slice(0, column);
    else {
      lines[lines.length - 1] = line.slice(0, column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return lines;
}
