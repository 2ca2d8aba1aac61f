import { readFileSync } from 'node:fs';

/** How many file handles this process may have; a cautious guess where the system does not tell. */
export function readHandleLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || fallback;
  } catch {
    return fallback;
  }
}

const fallback = 256;
