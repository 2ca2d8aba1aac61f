import { type SpawnOptions, spawn } from 'node:child_process';

import { errnoOf } from './errors.ts';

/** The early end of a program that was meant to keep running. */
export type EarlyEnd = { readonly code: number | null; readonly errno: string | null };

/**
 * Starts a program that outlives this process. Resolves with its end if it exits before the signal is aborted, and with
 * null otherwise. After that, this process no longer controls it.
 */
export async function startDetached(
  program: string,
  args: readonly string[],
  { signal, ...options }: Pick<SpawnOptions, 'cwd' | 'stdio' | 'env'> & { signal: AbortSignal },
): Promise<EarlyEnd | null> {
  const child = spawn(program, args, { stdio: 'ignore', windowsHide: true, ...options, detached: true });
  const end = await new Promise<EarlyEnd | null>((resolve) => {
    child.once('error', (error) => resolve({ code: null, errno: errnoOf(error) ?? null }));
    child.once('exit', (code) => resolve({ code, errno: null }));
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  child.unref();
  return end;
}
