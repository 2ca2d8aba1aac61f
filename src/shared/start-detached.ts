import { type SpawnOptions, spawn } from 'node:child_process';

import { errnoOf } from './errors.ts';

/** How a program that was to go on by itself ended instead. */
export type EarlyEnd = { readonly code: number | null; readonly errno: string | null };

/**
 * Starts a program that outlives this process. Resolves with how it ended, if it does so before the signal, and with null otherwise: then
 * it is nobody's to end.
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
