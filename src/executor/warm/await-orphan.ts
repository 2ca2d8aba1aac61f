import { readFile, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import type { ProcessExit } from '../process-exit.ts';
import { isSameProcess } from '../process-table.ts';

const pollMs = 20;

/** Waits for a process that is nobody's child any more. It tells its exit code itself, unless it was killed. */
export async function awaitOrphan(
  pid: number,
  { startTicks, lastWord }: { startTicks: number; lastWord: string | null },
): Promise<ProcessExit> {
  while (isSameProcess(pid, startTicks)) await wait(pollMs);
  const said = lastWord === null ? '' : await readFile(lastWord, 'latin1').catch(() => '');
  if (lastWord !== null) await rm(lastWord, { force: true });
  const code = Number.parseInt(said, 10);
  const isKnown = Number.isInteger(code);
  return { code: isKnown ? code : null, signal: null, error: null, isUnseen: !isKnown };
}
