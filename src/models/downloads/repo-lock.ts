import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { isAlive, startTicksOf } from '../../shared/is-alive.ts';
import { ensureFolder } from './safe-folder.ts';

const retryMs = 250;
const claimName = /^hob-(\d+)-(\d+|x)\.claim$/;

interface LockOptions {
  readonly cache: string;
  /** Name of the repo's folder. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Waits until no other Hob process uses this repo, and locks the repo until the returned function is called.
 *
 * Each process creates a claim file named after its pid and start time. It has the lock if it then finds no claim of another live
 * process. Two processes that find each other's claims both remove their own and retry. Any process may delete the claim of a dead
 * process, because no later process can have the same name. So a lock ends with its owner, and two processes never take over the
 * same lock. The claims are in the folder of huggingface_hub's own locks, which have other names.
 */
export async function lockRepo({ cache, name, signal }: LockOptions): Promise<() => Promise<void>> {
  const folder = await ensureFolder(cache, '.locks', name);
  const ticks = startTicksOf(process.pid);
  const own = `hob-${process.pid}-${ticks ?? 'x'}.claim`;
  const claim = join(folder, own);
  for (;;) {
    signal.throwIfAborted();
    if (!(await hasOthers(folder, own))) {
      await writeFile(claim, '', { flag: 'w' });
      if (!(await hasOthers(folder, own))) return () => rm(claim, { force: true });
      await rm(claim, { force: true });
    }
    await pause(retryMs * (0.5 + Math.random()), undefined, { signal });
  }
}

async function hasOthers(folder: string, own: string): Promise<boolean> {
  let found = false;
  for (const name of await readdir(folder)) {
    const [, pid, ticks] = claimName.exec(name) ?? [];
    if (pid === undefined || ticks === undefined || name === own) continue;
    if (isHeld(Number(pid), ticks)) found = true;
    else await rm(join(folder, name), { force: true });
  }
  return found;
}

/** Whether the process is alive and still the same one. If the start time is unknown, the pid alone decides. */
function isHeld(pid: number, ticks: string): boolean {
  if (pid === 0 || !isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return ticks === 'x' || now === null || String(now) === ticks;
}
