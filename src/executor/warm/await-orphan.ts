import { setTimeout as wait } from 'node:timers/promises';

import type { ProcessExit } from '../process-exit.ts';
import { isSameProcess } from '../process-table.ts';

const pollMs = 20;

/**
 * Waits for a process whose parent has ended. The kernel reports its exit code to the process that adopted it, and not
 * to this process.
 */
export async function awaitOrphan(pid: number, startTicks: number): Promise<ProcessExit> {
  while (isSameProcess(pid, startTicks)) await wait(pollMs);
  return { code: null, signal: null, error: null, isUnseen: true };
}
