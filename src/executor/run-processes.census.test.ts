import { existsSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { has } from '../../test/support/needs.ts';
import { type Shell, startShell, untilSo } from '../../test/support/shells.ts';
import type { Count } from '../execution/messages.ts';
import type { RunCgroup } from './cgroups.ts';
import { Census, RunProcesses } from './run-processes.ts';

interface Report {
  readonly counts: readonly Count[];
  readonly atMs: number;
}

function openCensus() {
  const reports: Report[] = [];
  const census = new Census(
    (counts) => reports.push({ counts, atMs: performance.now() }),
    () => true,
  );
  return { census, reports };
}

/** A run without processes. `onRead` is called while the run is being counted. */
function emptyRun(runId: string, onRead = () => {}): RunProcesses {
  const cgroup: RunCgroup = {
    adopt: async () => {},
    pids: () => {
      onRead();
      return [];
    },
    isPopulated: () => false,
    kill: () => {},
    remove: () => true,
  };
  return new RunProcesses(runId, { pid: 2 ** 30, startTicks: 1, isOurs: false }, cgroup);
}

function processesOf({ runId, pid, startTicks }: Shell): RunProcesses {
  return new RunProcesses(runId, { pid, startTicks, isOurs: true }, null);
}

function keepBusy(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

describe.skipIf(!has('/proc', existsSync('/proc/self/stat')))('the census', () => {
  it('counts the processes of several runs with one reading of the process table', async () => {
    const two = startShell('sleep 600 & echo a $!; setsid sleep 600 & echo b $!; exit 0');
    const none = startShell('exit 0');
    const one = startShell('(setsid sh -c "echo c \\$\\$; exec sleep 600" &)');
    for (const [shell, word] of [
      [two, 'a'],
      [two, 'b'],
      [one, 'c'],
    ] as const)
      await shell.said(word);
    for (const shell of [two, none, one]) await shell.exited;
    const { census, reports } = openCensus();
    for (const shell of [two, none, one]) census.add(processesOf(shell));
    await census.settled();
    expect(reports.map(({ counts }) => counts)).toEqual([
      [
        { runId: two.runId, leftRunning: 2 },
        { runId: none.runId, leftRunning: 0 },
        { runId: one.runId, leftRunning: 1 },
      ],
    ]);
  });

  it('counts a run that ends during a reading with the next reading', async () => {
    const { census, reports } = openCensus();
    const second = emptyRun('second');
    census.add(emptyRun('first', () => census.add(second)));
    await census.settled();
    expect(reports.map(({ counts }) => counts)).toEqual([
      [{ runId: 'first', leftRunning: 0 }],
      [{ runId: 'second', leftRunning: 0 }],
    ]);
  });

  it('gives exiting processes a moment before the first reading, and pauses before the next', async () => {
    const { census, reports } = openCensus();
    const second = emptyRun('second');
    const startedMs = performance.now();
    census.add(emptyRun('first', () => census.add(second)));
    await census.settled();
    const [first, next] = reports.map(({ atMs }) => atMs);
    // Timers may fire a fraction of a millisecond early.
    expect(Number(first) - startedMs).toBeGreaterThanOrEqual(49);
    expect(Number(next) - Number(first)).toBeGreaterThanOrEqual(49);
  });

  it('pauses longer when a reading takes longer', async () => {
    const { census, reports } = openCensus();
    const second = emptyRun('second');
    census.add(
      emptyRun('first', () => {
        keepBusy(30);
        census.add(second);
      }),
    );
    await census.settled();
    const [first, next] = reports.map(({ atMs }) => atMs);
    expect(Number(next) - Number(first)).toBeGreaterThanOrEqual(299);
  });

  it('counts runs that are added after it has finished', async () => {
    const { census, reports } = openCensus();
    for (const runId of ['first', 'second']) {
      census.add(emptyRun(runId));
      await census.settled();
    }
    expect(reports).toHaveLength(2);
  });

  it('is settled when it has no run to count', async () => {
    const { census, reports } = openCensus();
    await census.settled();
    expect(reports).toEqual([]);
  });

  it('removes the cgroup of a counted run as soon as it is empty', async () => {
    const { census } = openCensus();
    const asked: string[] = [];
    const cgroup: RunCgroup = {
      adopt: async () => {},
      pids: () => {
        asked.push('pids');
        return [];
      },
      isPopulated: () => false,
      kill: () => asked.push('kill'),
      // The cgroup still contains a process at the first attempt.
      remove: () => asked.push('remove') > 2,
    };
    census.add(new RunProcesses('run', { pid: 2 ** 30, startTicks: 1, isOurs: false }, cgroup));
    await census.settled();
    expect(asked).toEqual(['pids', 'remove']);
    for (let count = 0; count < 2; count++) {
      census.add(emptyRun('next'));
      await census.settled();
    }
    expect(asked).toEqual(['pids', 'remove', 'remove']);
  });

  it('knows without a process table that nothing is left if this process has adopted no process', async () => {
    const shell = startShell('sleep 600 & echo a $!; exit 0');
    await shell.said('a');
    await shell.exited;
    const counted: Count[] = [];
    const census = new Census(
      (counts) => counted.push(...counts),
      () => false,
    );
    census.add(processesOf(shell));
    await census.settled();
    expect(counted).toEqual([{ runId: shell.runId, leftRunning: 0 }]);
  });

  it('counts a run that ends just after a report', async () => {
    for (let turns = 0; turns <= 8; turns++) {
      const counted: string[] = [];
      const report = (counts: readonly Count[]) => {
        for (const { runId } of counts) counted.push(runId);
        if (counted.length === 1) void later();
      };
      const census = new Census(report, () => true);
      async function later(): Promise<void> {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        census.add(emptyRun('second'));
      }
      census.add(emptyRun('first'));
      await untilSo(() => counted.length === 2);
      expect([turns, counted]).toEqual([turns, ['first', 'second']]);
    }
  });
});
