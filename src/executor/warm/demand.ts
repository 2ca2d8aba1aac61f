import { readFileSync } from 'node:fs';

/**
 * The number of processes that need a core at this moment; null where the system does not provide it. A run that waits
 * for a linked run or for a server is not included.
 */
export function countRunnable(): number | null {
  try {
    const runnable = Number(/ (\d+)\//.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1]);
    // This process is one of them.
    return Number.isInteger(runnable) ? runnable - 1 : null;
  } catch {
    return null;
  }
}
