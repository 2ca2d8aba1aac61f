import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

import { errnoOf } from '../../shared/errors.ts';

export interface ToolResult {
  readonly ok: boolean;
  /** The end of all that it wrote, to tell what went wrong. */
  readonly output: string;
  /** The program itself could not be started. */
  readonly errno: string | null;
}

interface ToolOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Whether it answers a question of ours, which is nothing for the log. */
  readonly isQuiet?: boolean;
}

const keptCharacters = 64 * 1024;
/** A tool that is told to stop is given so long to clean up. */
const stopGraceMs = 2000;
/** So long is waited for the rest of what it wrote. */
const drainMs = 2000;

/**
 * The one place where the tools that build environments are started. What they write is passed on as it comes, so that the log of
 * the run shows what is going on. Rejects with the signal's reason once the tool has ended after an abort.
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
    // What a package started may live on and hold the streams: nobody waits for that.
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

/** A command as it could be typed, for the log. */
export function describeCommand(file: string, args: readonly string[]): string {
  return [file, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
}
