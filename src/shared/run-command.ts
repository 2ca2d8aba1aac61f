import { execFile } from 'node:child_process';

export interface CommandResult {
  ok: boolean;
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
}

/** Runs a short helper command, such as asking an interpreter for its version. Never throws; never for scripts. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { env, cwd, timeoutMs = 10_000 } = options;
  return new Promise((resolve) => {
    const settings = {
      timeout: timeoutMs,
      maxBuffer: 1024 * 1024,
      windowsHide: true,
      killSignal: 'SIGKILL' as const,
      ...(env && { env }),
      ...(cwd && { cwd }),
    };
    try {
      const child = execFile(file, args, settings, (error, stdout, stderr) => {
        resolve({ ok: error === null, stdout, stderr });
      });
      child.stdin?.end();
    } catch (error) {
      // A program that is being replaced, or too little memory, is told at once and not through the callback.
      resolve({ ok: false, stdout: '', stderr: String(error) });
    }
  });
}
