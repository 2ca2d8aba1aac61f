import { existsSync } from 'node:fs';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { isRunning, untilGone } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { type Shell, startShell, untilSo } from '../../test/support/shells.ts';
import type { RunCgroup } from './cgroups.ts';
import { type ProcessEntry, RunProcesses, readProcessTable } from './run-processes.ts';

const leader = { pid: 1_000_100, startTicks: 500 };
const id = (offset: number) => leader.pid + offset;

/** A process that has no relation to the run except the given one. */
function entry(pid: number, rest: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent: 1, group: pid, session: pid, startTicks: 600, runId: null, ...rest };
}

const theLeader = entry(leader.pid, { startTicks: leader.startTicks, runId: 'run' });
const stranger = entry(id(90), { runId: 'another run' });

function runOf(options: { isOurs?: boolean; cgroup?: RunCgroup } = {}): RunProcesses {
  return new RunProcesses('run', { ...leader, isOurs: options.isOurs ?? true }, options.cgroup ?? null);
}

function cgroupOf(...pids: number[]): RunCgroup {
  return {
    adopt: async () => {},
    pids: () => pids,
    isPopulated: () => pids.length > 0,
    kill: () => {},
    remove: () => true,
  };
}

const pidsIn = (run: RunProcesses, table: ProcessEntry[]) =>
  run
    .findIn(table)
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);

describe('a process of a run', () => {
  it.each([
    ['the script itself', theLeader, null],
    ['in its group', entry(id(1), { group: leader.pid }), null],
    ['in its session, in another group', entry(id(1), { session: leader.pid }), null],
    ['one with its variable, in any group', entry(id(1), { runId: 'run' }), null],
    ['in its cgroup, although it shows no other trace', entry(id(1)), cgroupOf(id(1))],
  ])('is %s', (_what, member, cgroup) => {
    const run = runOf(cgroup === null ? {} : { cgroup });
    expect(pidsIn(run, [stranger, member])).toEqual([member.pid]);
  });

  it('is any descendant of one, at any depth and in any order of the list', () => {
    const table = [
      entry(id(-3), { parent: id(-2) }),
      entry(id(-2), { parent: id(1) }),
      theLeader,
      entry(id(1), { parent: leader.pid }),
      stranger,
    ];
    expect(pidsIn(runOf(), table)).toEqual([id(-3), id(-2), leader.pid, id(1)]);
    const hidden = entry(id(5), { parent: id(4) });
    expect(pidsIn(runOf({ cgroup: cgroupOf(id(4)) }), [hidden, entry(id(4))])).toEqual([id(4), id(5)]);
  });

  it('is one that was found earlier, even if its parent has ended since', () => {
    const run = runOf();
    const child = entry(id(1), { parent: leader.pid });
    expect(pidsIn(run, [theLeader, child])).toEqual([leader.pid, id(1)]);
    expect(pidsIn(run, [stranger, { ...child, parent: 1 }])).toEqual([id(1)]);
    const grandchild = entry(id(2), { parent: id(1) });
    expect(pidsIn(run, [{ ...child, parent: 1 }, grandchild])).toEqual([id(1), id(2)]);
    expect(pidsIn(run, [grandchild])).toEqual([id(2)]);
  });

  it('is not another process that got the id of one that was found earlier', () => {
    const run = runOf();
    pidsIn(run, [theLeader, entry(id(1), { parent: leader.pid })]);
    expect(pidsIn(run, [theLeader, entry(id(1), { startTicks: 700 })])).toEqual([leader.pid]);
  });

  it('is in the group of our own script, even if the script itself has ended', () => {
    expect(pidsIn(runOf(), [entry(id(1), { group: leader.pid }), stranger])).toEqual([id(1)]);
  });

  it('is not in a group whose id belongs to another leader now', () => {
    const other = entry(leader.pid, { startTicks: 999 });
    const table = [
      other,
      entry(id(1), { group: leader.pid }),
      entry(id(2), { session: leader.pid }),
      entry(id(3), { parent: leader.pid }),
    ];
    for (const isOurs of [true, false]) expect(pidsIn(runOf({ isOurs }), table)).toEqual([]);
    const withCookie = entry(id(4), { runId: 'run' });
    expect(pidsIn(runOf(), [...table, withCookie])).toEqual([id(4)]);
  });

  it("is not in the group of another executor's script once that script has ended", () => {
    const table = [entry(id(1), { group: leader.pid, session: leader.pid })];
    expect(pidsIn(runOf({ isOurs: false }), table)).toEqual([]);
    expect(pidsIn(runOf({ isOurs: false }), [theLeader, ...table])).toEqual([leader.pid, id(1)]);
  });

  it("stays one when another executor's script ends, because it was found before", () => {
    const run = runOf({ isOurs: false });
    const table = [entry(id(1), { group: leader.pid })];
    expect(pidsIn(run, [theLeader, ...table])).toEqual([leader.pid, id(1)]);
    expect(pidsIn(run, table)).toEqual([id(1)]);
  });

  it('is found only by its variable when the leader of the run was not recorded', () => {
    const run = new RunProcesses('run', { pid: 0, startTicks: 0, isOurs: false }, null);
    expect(run.sinceTicks).toBe(0);
    const kernel = entry(2, { parent: 0, group: 0, session: 0 });
    expect(pidsIn(run, [kernel, stranger, entry(id(1), { runId: 'run' })])).toEqual([id(1)]);
  });

  it('is never this process itself, even in the same group or cgroup', () => {
    const own = entry(process.pid, { runId: 'run', group: leader.pid, parent: leader.pid });
    expect(pidsIn(runOf({ cgroup: cgroupOf(process.pid) }), [theLeader, own])).toEqual([leader.pid]);
  });

  it('is not older than its script', () => {
    expect(runOf().sinceTicks).toBe(leader.startTicks);
  });
});

/** Records every signal that is sent from here on; each is still sent. */
function watchSignals(): [number, string | number | undefined][] {
  const sent: [number, string | number | undefined][] = [];
  const original = process.kill.bind(process);
  const spy = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    sent.push([pid, signal]);
    return original(pid, signal);
  });
  onTestFinished(() => spy.mockRestore());
  return sent;
}

function processesOf(shell: Shell): RunProcesses {
  const { runId, pid, startTicks } = shell;
  return new RunProcesses(runId, { pid, startTicks, isOurs: true }, null);
}

async function findMembers(run: RunProcesses): Promise<ProcessEntry[]> {
  return run.findIn((await readProcessTable(run.sinceTicks)) ?? []);
}

describe.skipIf(!has('/proc', existsSync('/proc/self/stat')))('a signal to a run', () => {
  it('goes to its group once, and to each process outside it', async () => {
    const shell = startShell(
      'sleep 600 & echo inside $!; setsid sleep 600 & echo outside $!; setsid sleep 600 & echo further $!; wait',
    );
    const inside = await shell.said('inside');
    const elsewhere = [await shell.said('outside'), await shell.said('further')];
    const run = processesOf(shell);
    // A child is in the group of the shell until it has created its own session.
    await untilSo(async () => {
      const members = await findMembers(run);
      return members.filter(({ group }) => group !== shell.pid).length === 2;
    });
    const members = await findMembers(run);
    expect(members).toHaveLength(4);
    const sent = watchSignals();
    run.signal(members, 'SIGTERM');
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(expect.arrayContaining([-shell.pid, ...elsewhere].map((pid) => [pid, 'SIGTERM'])));
    expect((await shell.exited).signal).toBe('SIGTERM');
    for (const pid of [inside, ...elsewhere]) await untilGone(pid);
    expect(await findMembers(run)).toEqual([]);
  });

  it('reaches the group without reading the process table', async () => {
    const shell = startShell('sleep 600 & echo child $!; wait');
    const child = await shell.said('child');
    const run = processesOf(shell);
    expect(run.isGroupAlive()).toBe(true);
    run.signal([], 'SIGKILL');
    await shell.exited;
    await untilGone(child);
  });

  it('spares another process that got the id of its script', async () => {
    const other = startShell('exec sleep 600');
    const member = startShell('exec sleep 600');
    const reused = { pid: other.pid, startTicks: other.startTicks - 1, isOurs: true };
    const run = new RunProcesses(member.runId, reused, null);
    const members = await findMembers(run);
    expect(members.map(({ pid }) => pid)).toEqual([member.pid]);
    expect(run.isGroupAlive()).toBe(false);
    run.signal(members, 'SIGKILL');
    expect((await member.exited).signal).toBe('SIGKILL');
    expect(await isRunning(other.pid)).toBe(true);
  });

  it('spares a group that may belong to another leader until the process table has been read', async () => {
    const shell = startShell('exec sleep 600');
    const { runId, pid, startTicks } = shell;
    const run = new RunProcesses(runId, { pid, startTicks, isOurs: false }, null);
    run.signal([], 'SIGKILL');
    expect(run.isGroupAlive()).toBe(false);
    expect(await isRunning(pid)).toBe(true);
    expect(await findMembers(run)).toHaveLength(1);
    expect(run.isGroupAlive()).toBe(true);
    run.signal([], 'SIGKILL');
    expect((await shell.exited).signal).toBe('SIGKILL');
  });

  it('is harmless for a process that has ended since the table was read', async () => {
    const shell = startShell('exec sleep 600');
    const run = processesOf(shell);
    const members = await findMembers(run);
    shell.child.kill('SIGKILL');
    await shell.exited;
    run.signal(members, 'SIGTERM');
    expect(run.isGroupAlive()).toBe(false);
  });
});
