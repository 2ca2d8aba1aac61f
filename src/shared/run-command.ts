import { type ChildProcess, type ExecFileException, execFile, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface CommandResult {
  ok: boolean;
  stdout: string;
  stderr: string;
  /** Why it did not go well, in a few words; empty when it did. */
  failure: string;
}

interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
  /** Aborted when nobody wants it any more: it is killed then. */
  signal?: AbortSignal;
}

/** Runs a short helper command, such as asking an interpreter for its version. Never throws; never for scripts. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { env, cwd, timeoutMs = 10_000, signal } = options;
  return new Promise((resolve) => {
    const settings = {
      timeout: timeoutMs,
      maxBuffer: 1024 * 1024,
      windowsHide: true,
      killSignal: 'SIGKILL' as const,
      ...(env && { env }),
      ...(cwd && { cwd }),
      ...(signal && { signal }),
    };
    try {
      const child = execFile(file, args, settings, (error, stdout, stderr) => {
        resolve({ ok: error === null, stdout, stderr, failure: describeFailure(error) });
      });
      // Who ends without reading says so by its exit code.
      child.stdin?.on('error', () => {});
      child.stdin?.end();
    } catch (error) {
      // A program that is being replaced, or too little memory, is told at once and not through the callback.
      resolve({ ok: false, stdout: '', stderr: String(error), failure: String(error) });
    }
  });
}

function describeFailure(error: ExecFileException | null): string {
  if (error === null) return '';
  if (error.killed === true) return 'no answer in time';
  return typeof error.code === 'number' ? `exit code ${error.code}` : (error.code ?? `${error.signal}`);
}

interface LongCommandOptions extends CommandOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** Takes what it writes; once this has failed, the command is killed. Without it, nothing is expected to be written. */
  onOutput?: (stdout: Readable) => Promise<void>;
}

/** The end of what it complained of is what tells why. */
const keptStderrBytes = 64 * 1024;

/** How long the last words of a command may take to arrive. */
const lastWordsMs = 1000;

/**
 * Runs a helper command that may take long, write without end, ask on the terminal and start others, such as git: it has neither terminal
 * nor input, and is killed with all that it started. Rejects only with what `onOutput` rejects with.
 */
export async function runLongCommand(
  file: string,
  args: readonly string[],
  { env, cwd, timeoutMs, signal, onOutput }: LongCommandOptions,
): Promise<CommandResult> {
  if (signal.aborted) return failed('stopped');
  // A group of its own can be killed as one; Windows has none.
  const detached = process.platform !== 'win32';
  let child: ChildProcess;
  try {
    const stdio: ('ignore' | 'pipe')[] = ['ignore', onOutput ? 'pipe' : 'ignore', 'pipe'];
    child = spawn(file, args, {
      stdio,
      windowsHide: true,
      detached,
      ...(env && { env }),
      ...(cwd && { cwd }),
    });
  } catch (error) {
    return failed(String(error));
  }
  let failure = '';
  const kill = (why: string) => {
    failure ||= why;
    killAll(child, detached);
  };
  const onAbort = () => kill('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => kill('no answer in time'), timeoutMs);
  let stderr = Buffer.alloc(0);
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-keptStderrBytes);
  });
  try {
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        failure ||= 'code' in error ? String(error.code) : error.message;
        resolve();
      });
      child.once('close', (code, endSignal) => {
        if (code !== 0) failure ||= code === null ? `${endSignal}` : `exit code ${code}`;
        resolve();
      });
    });
    child.once('exit', () => {
      // Something that it left behind may keep hold of this for ever.
      setTimeout(() => child.stderr?.destroy(), lastWordsMs).unref();
    });
    const taking = child.stdout && onOutput ? onOutput(child.stdout) : Promise.resolve();
    const taken = await taking.then(
      () => null,
      (error: unknown) => {
        kill('its output was refused');
        return { error };
      },
    );
    await ended;
    // What it wrote cannot be right when it was cut off; why it was is told by the command.
    if (taken !== null && (failure === '' || failure === 'its output was refused')) throw taken.error;
    return { ok: failure === '', stdout: '', stderr: stderr.toString(), failure };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function failed(failure: string): CommandResult {
  return { ok: false, stdout: '', stderr: failure, failure };
}

function killAll(child: ChildProcess, isGroup: boolean): void {
  // Without a pid it was never started. One that was waited for has none to be killed by any more.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (isGroup) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It ended in this moment.
  }
}
