import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

import { longLivedFlags } from '../shared/node-flags.ts';
import { claimPrivateFile, makePrivateFolder } from '../shared/private-files.ts';
import { executorFolder } from './messages.ts';

const readyWithinMs = 20_000;

interface LaunchOptions {
  /** The executor's entry file. */
  entry: string;
  home: string;
  env: Readonly<Record<string, string>>;
  /** False: it starts programs through Node. */
  isNative?: boolean;
}

/**
 * Starts an executor that outlives this process. Resolves with its process id when it accepts connections, or with null
 * if a signal ended it before.
 */
export async function launchExecutor({
  entry,
  home,
  env,
  isNative = true,
}: LaunchOptions): Promise<number | null> {
  const folder = join(home, executorFolder);
  await makePrivateFolder(folder, { existing: true });
  const logPath = join(folder, 'executor.log');
  claimPrivateFile(logPath);
  const log = await open(logPath, 'a');
  try {
    const native = isNative ? [] : ['--native', 'no'];
    const child = spawn(process.execPath, [...longLivedFlags, entry, '--home', home, ...native], {
      cwd: home,
      env,
      stdio: ['ignore', 'pipe', log.fd],
      detached: true,
      windowsHide: true,
    });
    const pid = await new Promise<number | null>((resolve, reject) => {
      const timer = setTimeout(() => {
        // An executor that became ready later would conflict with the next one.
        child.kill('SIGKILL');
        reject(new Error('the executor was not ready in time'));
      }, readyWithinMs);
      child.stdout?.once('data', () => {
        clearTimeout(timer);
        resolve(child.pid ?? 0);
      });
      child.once('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        if (signal !== null) resolve(null);
        else reject(new Error(`the executor exited during its start with code ${code}; see ${logPath}`));
      });
    });
    child.removeAllListeners('exit');
    child.stdout?.destroy();
    child.unref();
    return pid;
  } finally {
    await log.close();
  }
}
