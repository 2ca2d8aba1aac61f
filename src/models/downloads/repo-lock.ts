import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { isAlive, startTicksOf } from '../../shared/is-alive.ts';
import { ensureFolder } from './safe-folder.ts';

const betweenLooksMs = 250;
const claimName = /^hob-(\d+)-(\d+|x)\.claim$/;

interface LockOptions {
  readonly cache: string;
  /** Of the repo's folder. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Waits until no other Hob works on this repo, and keeps others away until the returned function is called.
 *
 * Each process puts down a claim of its own, named after itself, and has the lock when it then sees no other claim of a living
 * process; two that see each other both step back for a while. The claim of a process that is gone counts for nothing and can be
 * removed by anyone, for no other process will ever have that name: so a lock dies with its holder, and none is taken over by two.
 * They lie beside the locks of huggingface_hub, which have other names.
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
    await pause(betweenLooksMs * (0.5 + Math.random()), undefined, { signal });
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

/** Whether the process is there and still the same one, as far as the system tells. */
function isHeld(pid: number, ticks: string): boolean {
  if (pid === 0 || !isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return ticks === 'x' || now === null || String(now) === ticks;
}
