import { readFileSync } from 'node:fs';

import { errnoOf } from './errors.ts';
import { type ProcessStat, parseProcessStat } from './process-stat.ts';

/** Whether there is a process with this id, whoever it belongs to. One that only waits to be buried counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  return process.platform !== 'linux' || !isZombie(pid);
}

/** What tells a process from every other that has had its id since the boot; null where the system does not say. */
export function startTicksOf(pid: number): number | null {
  return statOf(pid)?.startTicks ?? null;
}

function isZombie(pid: number): boolean {
  return statOf(pid)?.state === 'Z';
}

function statOf(pid: number): ProcessStat | null {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}
