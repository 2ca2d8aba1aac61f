import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { isAlive, startTicksOf } from '../../shared/is-alive.ts';

const betweenLooksMs = 200;
const claimName = /^building-(\d+)-(\d+|x)$/;

/**
 * Keeps other builders away from an environment until the returned function is called. A builder that an earlier service started may
 * still be at work on it: that one is waited for.
 *
 * Every builder puts down a claim named after itself and goes on when it sees no other of a living process; two that see each other
 * both step back for a while. A claim dies with its process, for no other will ever have that name.
 */
export async function claimBuild(
  environment: string,
  { signal, onWait }: { signal: AbortSignal; onWait: () => void },
): Promise<() => Promise<void>> {
  const own = `building-${process.pid}-${startTicksOf(process.pid) ?? 'x'}`;
  const path = join(environment, own);
  for (let hasWaited = false; ; hasWaited = true) {
    signal.throwIfAborted();
    // Also anew: who was waited for removes the folder when nothing came of it.
    await mkdir(environment, { recursive: true, mode: 0o700 });
    if (!(await isBeingBuilt(environment, own))) {
      await writeFile(path, '', { mode: 0o600 });
      if (!(await isBeingBuilt(environment, own))) return () => rm(path, { force: true });
      await rm(path, { force: true });
    }
    if (!hasWaited) onWait();
    await pause(betweenLooksMs * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Whether a living process, other than the one of this claim, is building this environment. Claims of the dead are removed. */
export async function isBeingBuilt(environment: string, own?: string): Promise<boolean> {
  let found = false;
  for (const name of await readdir(environment).catch(() => [])) {
    const [, pid, ticks] = claimName.exec(name) ?? [];
    if (pid === undefined || name === own) continue;
    if (isClaimAlive(Number(pid), ticks ?? 'x')) found = true;
    else await rm(join(environment, name), { force: true });
  }
  return found;
}

function isClaimAlive(pid: number, ticks: string): boolean {
  // Zero would mean everybody here.
  if (pid <= 0 || !isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return ticks === 'x' || now === null || String(now) === ticks;
}
