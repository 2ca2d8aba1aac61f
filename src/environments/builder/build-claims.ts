import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { isAlive, startTicksOf } from '../../shared/is-alive.ts';

const betweenLooksMs = 200;
const claimName = /^building-(\d+)-(\d+|x)$/;

/**
 * Keeps other builders away from an environment until the returned function is called. Waits for a builder of an earlier service that
 * is still building it.
 *
 * Every builder writes a claim named after itself, and continues if no other living process has one; two builders that see each other
 * both retry after a pause. A claim ends with its process, because no other process ever gets the same name.
 */
export async function claimBuild(
  environment: string,
  { signal, onWait }: { signal: AbortSignal; onWait: () => void },
): Promise<() => Promise<void>> {
  const own = `building-${process.pid}-${startTicksOf(process.pid) ?? 'x'}`;
  const path = join(environment, own);
  for (let hasWaited = false; ; hasWaited = true) {
    signal.throwIfAborted();
    // Create the folder again: a failed builder removes it.
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

/** Whether another living process is building this environment. Removes claims of dead processes. */
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
  // Pid 0 would mean the whole process group.
  if (pid <= 0 || !isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return ticks === 'x' || now === null || String(now) === ticks;
}
