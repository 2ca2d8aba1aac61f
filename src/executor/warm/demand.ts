import { readFileSync } from 'node:fs';

/**
 * How many processes want a core at this moment; null where the system does not tell. A run that waits, for another one that it has
 * linked or for a server, is not among them.
 */
export function countRunnable(): number | null {
  try {
    const runnable = Number(/ (\d+)\//.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1]);
    // We are one of them.
    return Number.isInteger(runnable) ? runnable - 1 : null;
  } catch {
    return null;
  }
}
