import { readFileSync } from 'node:fs';

/** The maximum number of file handles of this process; infinite if the system does not report it. */
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
