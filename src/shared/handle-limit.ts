import { readFileSync } from 'node:fs';

/** How many file handles this process may have; no limit is known where the system does not tell. */
export function readHandleLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || unknown;
  } catch {
    return unknown;
  }
}

const unknown = Number.POSITIVE_INFINITY;
