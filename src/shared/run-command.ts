import { type ChildProcess, type ExecFileException, execFile, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface CommandResult {
  ok: boolean;
  stdout: string;
  stderr: string;
  /** A short description of the failure; empty on success. */
  failure: string;
}

interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
  /** How the output is decoded. With `latin1`, each byte becomes one character. */
  encoding?: 'utf8' | 'latin1';
  /** Aborting it kills the command. */
  signal?: AbortSignal;
}

/** Runs a short helper command, for example to read the version of an interpreter. Never throws. Never used for scripts. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { env, cwd, timeoutMs = 10_000, encoding = 'utf8', signal } = options;
  return new Promise((resolve) => {
    const settings = {
      timeout: timeoutMs,
      encoding,
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
      // A command that exits without reading its input reports that by its exit code.
      child.stdin?.on('error', () => {});
      child.stdin?.end();
    } catch (error) {
      // Some failures are thrown instead of passed to the callback: a program that is being replaced, or too little
      // memory.
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
  /** Reads the output. If it rejects, the command is killed. Without it, the output is ignored. */
  onOutput?: (stdout: Readable) => Promise<void>;
}

/** The end of stderr states the reason of a failure, so only the end is kept. */
const keptStderrBytes = 64 * 1024;

/** How long the remaining stderr output may take to arrive after the exit. */
const lastWordsMs = 1000;

/**
 * Runs a helper command that may take long, write without end, prompt on the terminal and start other programs, such as
 * git. It has neither terminal nor input, and is killed together with the programs it started. Rejects only with an
 * error of `onOutput`.
 */
export async function runLongCommand(
  file: string,
  args: readonly string[],
  { env, cwd, timeoutMs, signal, onOutput }: LongCommandOptions,
): Promise<CommandResult> {
  if (signal.aborted) return failed('stopped');
  // A process group can be killed as a whole. Windows has no process groups.
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
      // A process that the command left running may keep the pipe open forever.
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
    // Output that was cut off is always invalid, so the failure of the command has priority over the error of its
    // reader.
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
  // Without a pid the command never started. After its exit was collected, its pid may belong to another process.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (isGroup) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // The command exited at this moment.
  }
}
