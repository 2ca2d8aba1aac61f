import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { projectRoot } from './hob.ts';
import { findProgram, has, testPath } from './needs.ts';

export const hasTerminal = has('script', findProgram('script') !== null);

/** A command that runs in its own terminal. */
export interface TerminalSession {
  /** The raw output. */
  written(): string;
  /** The lines that a person sees. */
  lines(): string[];
  /** Presses keys: `\u0003` is Ctrl-C. */
  type(keys: string): void;
  readonly ended: Promise<number | null>;
}

/** Runs the `hob` command in a terminal with this many columns. */
export function runInTerminal(
  args: readonly string[],
  { columns = 80, env = {} }: { columns?: number; env?: Record<string, string> } = {},
): TerminalSession {
  const words = [process.execPath, join(projectRoot, 'bin', 'hob.js'), ...args];
  const command = `stty cols ${columns}; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Without CI, because Hob prints no colours there.
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

/** A placeholder for the command that erases the rest of a line. */
const erased = '\ue000';

/** The lines on the screen after this output. Lines may have been overwritten or partly erased. */
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
