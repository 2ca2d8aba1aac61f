import { type ExecFileException, execFile } from 'node:child_process';

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
