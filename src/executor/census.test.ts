import { existsSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { has } from '../../test/support/needs.ts';
import { type Shell, startShell, untilSo } from '../../test/support/shells.ts';
import type { Count } from '../execution/messages.ts';
import { Census } from './census.ts';
import type { RunCgroup } from './cgroups.ts';
import { RunProcesses } from './run-processes.ts';

interface Report {
  readonly counts: readonly Count[];
  readonly atMs: number;
}

function openCensus() {
  const reports: Report[] = [];
  const census = new Census((counts) => reports.push({ counts, atMs: performance.now() }));
  return { census, reports };
}

/** A run of which nobody is left. `onLook` is called in the middle of the look that counts it. */
function emptyRun(runId: string, onLook = () => {}): RunProcesses {
  const cgroup: RunCgroup = {
    adopt: async () => {},
    pids: () => {
      onLook();
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
  it('counts what several runs have left running with one look', async () => {
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

  it('counts one that ends while it looks with the next look', async () => {
    const { census, reports } = openCensus();
    const second = emptyRun('second');
    census.add(emptyRun('first', () => census.add(second)));
    await census.settled();
    expect(reports.map(({ counts }) => counts)).toEqual([
      [{ runId: 'first', leftRunning: 0 }],
      [{ runId: 'second', leftRunning: 0 }],
    ]);
  });

  it('gives what is on its way out a moment before the first look, and rests before the next', async () => {
    const { census, reports } = openCensus();
    const second = emptyRun('second');
    const startedMs = performance.now();
    census.add(emptyRun('first', () => census.add(second)));
    await census.settled();
    const [first, next] = reports.map(({ atMs }) => atMs);
    // Timers may be early by a fraction of a millisecond.
    expect(Number(first) - startedMs).toBeGreaterThanOrEqual(49);
    expect(Number(next) - Number(first)).toBeGreaterThanOrEqual(49);
  });

  it('rests the longer the longer a look takes', async () => {
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

  it('counts again after it was done', async () => {
    const { census, reports } = openCensus();
    for (const runId of ['first', 'second']) {
      census.add(emptyRun(runId));
      await census.settled();
    }
    expect(reports).toHaveLength(2);
  });

  it('is settled when it has nothing to count', async () => {
    const { census, reports } = openCensus();
    await census.settled();
    expect(reports).toEqual([]);
  });

  it('gives up the cgroup of a run that it has counted, as soon as nobody is in it', async () => {
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
      // Somebody is still in it the first time.
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

  it('counts a run that ends just after a report', async () => {
    for (let turns = 0; turns <= 8; turns++) {
      const counted: string[] = [];
      const census = new Census((counts) => {
        for (const { runId } of counts) counted.push(runId);
        if (counted.length === 1) void later();
      });
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
