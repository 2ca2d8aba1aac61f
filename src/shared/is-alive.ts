import { readFileSync } from 'node:fs';

import { errnoOf } from './errors.ts';
import { parseProcessStat } from './process-stat.ts';

/** Whether there is a process with this id, whoever it belongs to. One that only waits to be buried counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  return process.platform !== 'linux' || !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1')).state === 'Z';
  } catch {
    return false;
  }
}
