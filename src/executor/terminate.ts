import { setTimeout as wait } from 'node:timers/promises';

import { runCommand } from '../shared/run-command.ts';
import { type ProcessEntry, type RunProcesses, readProcessTable } from './run-processes.ts';

/**
 * Short at first, because most scripts end soon after SIGTERM; then longer, because reading the process table is
 * expensive.
 */
const firstPollMs = 5;
const longestPollMs = 100;
/** How long killed processes may take to disappear: each needs some CPU time to exit. */
const killSettleMs = 5000;

/**
 * Stops all processes of a run: sends SIGTERM, continues stopped processes so that they can handle it, waits, kills,
 * and checks whether any process is left. Resolves with the number of processes that are left.
 */
export async function terminate(run: RunProcesses, graceMs: number): Promise<number> {
  const { members: asked } = await findMembers(run);
  run.signal(asked, 'SIGTERM');
  run.signal(asked, 'SIGCONT');
  if ((await awaitEnd(run, graceMs, () => {})) === 0) return 0;
  return awaitEnd(run, killSettleMs, (members) => {
    run.cgroup?.kill();
    // Processes that are forked meanwhile are found and killed in the next round.
    run.signal(members, 'SIGKILL');
  });
}

/** Windows knows the parent of each process, and stops the whole tree with one command. */
export async function terminateTree(pid: number): Promise<void> {
  await runCommand('taskkill', ['/pid', String(pid), '/T', '/F']);
}

/**
 * Waits until no process is left, and calls `act` with the remaining ones in each round. Resolves with the number of
 * processes that are left when the time is over.
 */
async function awaitEnd(
  run: RunProcesses,
  withinMs: number,
  act: (members: readonly ProcessEntry[]) => void,
): Promise<number> {
  let deadline: number | null = null;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
    const { members, isOver } = await findMembers(run);
    if (isOver) return 0;
    act(members);
    // The time starts with the first call of `act`: on an overloaded machine, reading the table can take as long as the
    // whole limit.
    deadline ??= performance.now() + withinMs;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return members.length || 1;
    await wait(Math.min(pollMs, leftMs));
  }
}

/**
 * Finds the remaining processes. An empty result is no proof: a process may fork unnoticed and exit before we read it,
 * and so may its child. The cgroup does not have this gap; without one, two readings must agree.
 */
async function findMembers(
  run: RunProcesses,
): Promise<{ members: readonly ProcessEntry[]; isOver: boolean }> {
  for (let count = 0; count < 2; count++) {
    const table = await readProcessTable(run.sinceTicks);
    // Without a process table, only the group is known; it can be killed without a table.
    if (table === null) return { members: [], isOver: !run.isGroupAlive() };
    const members = run.findIn(table);
    if (members.length > 0) return { members, isOver: false };
    if (run.cgroup?.isPopulated()) return { members: [], isOver: false };
  }
  return { members: [], isOver: true };
}
