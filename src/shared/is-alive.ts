import { readFileSync } from 'node:fs';

import { errnoOf } from './errors.ts';
import { type ProcessStat, parseProcessStat } from './process-stat.ts';

/** Whether a process with this id exists, for any owner. A zombie counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  return process.platform !== 'linux' || !isZombie(pid);
}

/**
 * With its id, this value identifies a process among all processes since the boot; null if the system does not report
 * it.
 */
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
