import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../shared/errors.ts';
import { parseProcessStat } from '../shared/process-stat.ts';
import { runCommand } from '../shared/run-command.ts';

/** Short at first, for most scripts end when they are asked; then longer, for looking through /proc is work. */
const firstPollMs = 5;
const longestPollMs = 100;
/** How long the kernel may take to be done with processes it was told to kill. */
const killSettleMs = 1000;

/**
 * Ends a process group: asks, wakes whoever is stopped so that it can hear, waits, kills. Resolves when nobody is left in
 * it.
 */
export async function terminateGroup(pid: number, graceMs: number): Promise<void> {
  if (process.platform === 'win32') {
    await runCommand('taskkill', ['/pid', String(pid), '/T', '/F']);
    return;
  }
  signalGroup(pid, 'SIGTERM');
  signalGroup(pid, 'SIGCONT');
  if (await groupEnds(pid, graceMs)) return;
  signalGroup(pid, 'SIGKILL');
  await groupEnds(pid, killSettleMs);
}

async function groupEnds(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
    if (!signalGroup(pid, 0) || (await onlyZombiesIn(pid))) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await wait(Math.min(pollMs, left));
  }
}

/** Whether there was anybody to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM: somebody is left in the group, but has become another user.
    return errnoOf(error) === 'EPERM';
  }
}

/** The dead who wait for their parent to notice still count as members of their group; an init may take its time. */
async function onlyZombiesIn(group: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  // Without a handle to look with, everybody counts as alive: the next step is to kill them, and that needs none.
  const names = await readdir('/proc').catch(() => null);
  if (names === null) return false;
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const member = parseProcessStat(stat);
    if (member.group === group && member.state !== 'Z' && member.state !== 'X') return false;
  }
  return true;
}
