import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { isAlive, startTicksOf } from './process-stat.ts';

/** The text before and after pid and start time in the name of a claim, such as `building-17-2345`. */
interface ClaimNames {
  readonly prefix: string;
  readonly suffix: string;
}

interface ClaimOptions {
  readonly signal: AbortSignal;
  /** Creates the folder. Called before every attempt, because another process may remove it. */
  readonly makeFolder: () => Promise<unknown>;
  /** Called once, before the first wait. */
  readonly onWait?: () => void;
}

const betweenLooksMs = 200;

/**
 * Waits until no other process of Hob claims the folder, and claims it until the returned function is called.
 *
 * Each process writes a claim file named after its pid and start time. It has the folder if it then finds no claim of another live
 * process. Two processes that find each other's claims both remove their own and retry after a pause. Any process may delete the
 * claim of a dead process, because no later process can have the same name. So a claim ends with its process.
 */
export async function claimFolder(
  folder: string,
  names: ClaimNames,
  { signal, makeFolder, onWait }: ClaimOptions,
): Promise<() => Promise<void>> {
  const own = `${names.prefix}${process.pid}-${startTicksOf(process.pid) ?? 'x'}${names.suffix}`;
  const path = join(folder, own);
  for (let hasWaited = false; ; hasWaited = true) {
    signal.throwIfAborted();
    await makeFolder();
    if (!(await isClaimed(folder, names, own))) {
      await writeFile(path, '', { mode: 0o600 });
      if (!(await isClaimed(folder, names, own))) return () => rm(path, { force: true });
      await rm(path, { force: true });
    }
    if (!hasWaited) onWait?.();
    await pause(betweenLooksMs * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Whether another live process claims the folder. Removes claims of dead processes. */
export async function isClaimed(
  folder: string,
  { prefix, suffix }: ClaimNames,
  own?: string,
): Promise<boolean> {
  let found = false;
  for (const name of await readdir(folder).catch(() => [])) {
    if (name === own || !name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const [, pid, ticks = 'x'] =
      /^(\d+)-(\d+|x)$/.exec(name.slice(prefix.length, name.length - suffix.length)) ?? [];
    if (pid === undefined) continue;
    if (isHeld(Number(pid), ticks)) found = true;
    else await rm(join(folder, name), { force: true });
  }
  return found;
}

/** Whether the process is alive and still the same one. If the start time is unknown, the pid alone decides. */
function isHeld(pid: number, ticks: string): boolean {
  // Pid 0 would mean the whole process group.
  if (pid === 0 || !isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return ticks === 'x' || now === null || String(now) === ticks;
}
