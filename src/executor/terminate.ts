import { setTimeout as wait } from 'node:timers/promises';

import { runCommand } from '../shared/run-command.ts';
import { type ProcessEntry, readProcessTable } from './process-table.ts';
import type { RunProcesses } from './run-processes.ts';

/** Short at first, for most scripts end when they are asked; then longer, for looking through all processes is work. */
const firstPollMs = 5;
const longestPollMs = 100;
/** How long the kernel may take to be done with processes it was told to kill. */
const killSettleMs = 1000;

/**
 * Ends all processes of a run: asks them, wakes whoever is stopped so that it can hear, waits, kills, and looks whether
 * anybody is left. Resolves with how many are.
 */
export async function terminate(run: RunProcesses, graceMs: number): Promise<number> {
  const asked = await findMembers(run);
  run.signal(asked ?? [], 'SIGTERM');
  run.signal(asked ?? [], 'SIGCONT');
  if ((await othersEnd(run, graceMs, () => {})) === 0) return 0;
  return othersEnd(run, killSettleMs, (members) => {
    run.cgroup?.kill();
    // Whoever is born while we do this is found, and killed, at the next look.
    run.signal(members, 'SIGKILL');
  });
}

/** Windows knows who started whom, and ends them all with one command. */
export async function terminateTree(pid: number): Promise<void> {
  await runCommand('taskkill', ['/pid', String(pid), '/T', '/F']);
}

/** Waits until nobody is left, `act`ing on those who are. Resolves with how many still are when the time is over. */
async function othersEnd(
  run: RunProcesses,
  withinMs: number,
  act: (members: readonly ProcessEntry[]) => void,
): Promise<number> {
  const deadline = performance.now() + withinMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
    const members = await findMembers(run);
    // Without a way to look, the group is all that is known; killing it needs no looking.
    if (members === null ? !run.isGroupAlive() : members.length === 0) return 0;
    act(members ?? []);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return members?.length ?? 1;
    await wait(Math.min(pollMs, leftMs));
  }
}

async function findMembers(run: RunProcesses): Promise<ProcessEntry[] | null> {
  const table = await readProcessTable(run.sinceTicks);
  return table && run.findIn(table);
}
