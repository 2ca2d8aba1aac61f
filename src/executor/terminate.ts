import { setTimeout as wait } from 'node:timers/promises';

import { runCommand } from '../shared/run-command.ts';
import { type ProcessEntry, readProcessTable } from './process-table.ts';
import type { RunProcesses } from './run-processes.ts';

/** Short at first, for most scripts end when they are asked; then longer, for looking through all processes is work. */
const firstPollMs = 5;
const longestPollMs = 100;
/** How long the kernel may take to be done with processes it was told to kill: they die when they get a processor to do it on. */
const killSettleMs = 5000;

/**
 * Ends all processes of a run: asks them, wakes whoever is stopped so that it can hear, waits, kills, and looks whether
 * anybody is left. Resolves with how many are.
 */
export async function terminate(run: RunProcesses, graceMs: number): Promise<number> {
  const { members: asked } = await look(run);
  run.signal(asked, 'SIGTERM');
  run.signal(asked, 'SIGCONT');
  if ((await awaitEnd(run, graceMs, () => {})) === 0) return 0;
  return awaitEnd(run, killSettleMs, (members) => {
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
async function awaitEnd(
  run: RunProcesses,
  withinMs: number,
  act: (members: readonly ProcessEntry[]) => void,
): Promise<number> {
  let deadline: number | null = null;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
    const { members, isOver } = await look(run);
    if (isOver) return 0;
    act(members);
    // Counted from the first act: on a machine that is out of breath, the look before it can take as long as the whole.
    deadline ??= performance.now() + withinMs;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return members.length || 1;
    await wait(Math.min(pollMs, leftMs));
  }
}

/**
 * Who is left. That nobody was seen is no proof: a process may fork behind our back and end before we look at it, and so may
 * its child. The cgroup cannot be deceived in this way; without one, two looks must agree.
 */
async function look(run: RunProcesses): Promise<{ members: readonly ProcessEntry[]; isOver: boolean }> {
  for (let count = 0; count < 2; count++) {
    const table = await readProcessTable(run.sinceTicks);
    // Without a way to look, the group is all that is known; killing it needs no looking.
    if (table === null) return { members: [], isOver: !run.isGroupAlive() };
    const members = run.findIn(table);
    if (members.length > 0) return { members, isOver: false };
    if (run.cgroup?.isPopulated()) return { members: [], isOver: false };
  }
  return { members: [], isOver: true };
}
