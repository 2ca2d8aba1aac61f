import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

import { errnoOf } from '../../shared/errors.ts';

export interface ToolResult {
  readonly ok: boolean;
  /** The end of its output, to explain a failure. */
  readonly output: string;
  /** The program itself could not be started. */
  readonly errno: string | null;
}

interface ToolOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Whether this is a query of Hob, which is not logged. */
  readonly isQuiet?: boolean;
}

const keptCharacters = 64 * 1024;
/** Grace period of a tool after the request to stop. */
const stopGraceMs = 2000;
/** Maximum wait for the remaining output. */
const drainMs = 2000;

/**
 * The only place that starts build tools. Their output is passed on immediately, so that the log of the run shows the progress. After
 * an abort, rejects with the reason of the signal when the tool has exited.
 */
export async function runTool(
  file: string,
  args: readonly string[],
  { cwd, env, signal, isQuiet = false }: ToolOptions,
): Promise<ToolResult> {
  signal.throwIfAborted();
  let output = '';
  const keep = (text: string) => {
    output = (output + text).slice(-keptCharacters);
  };
  const ended = await new Promise<{ ok: boolean; errno: string | null }>((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let killing: NodeJS.Timeout | undefined;
    let leftBehind: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGTERM');
      killing = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
    };
    const done = (ok: boolean, errno: string | null) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killing);
      clearTimeout(leftBehind);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ok, errno });
    };
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => done(false, errnoOf(error) ?? 'unknown'));
    child.once('close', (code) => done(code === 0, null));
    // A process of a package may keep the streams open: do not wait for it.
    child.once('exit', (code) => {
      leftBehind = setTimeout(() => done(code === 0, null), drainMs);
    });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      const decoder = new StringDecoder('utf8');
      from.on('data', (chunk: Buffer) => {
        keep(decoder.write(chunk));
        if (!isQuiet) to.write(chunk);
      });
    }
  });
  signal.throwIfAborted();
  return { ...ended, output };
}

/** Formats a command for the log. */
export function describeCommand(file: string, args: readonly string[]): string {
  return [file, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
}
