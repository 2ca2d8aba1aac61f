import { existsSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { isRunning } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { type Shell, startShell, statOf, untilSo } from '../../test/support/shells.ts';
import { RunProcesses } from './run-processes.ts';
import { terminate } from './terminate.ts';

/** Longer than any test: a test that waits this long fails. */
const endlessMs = 600_000;

function processesOf({ runId, pid, startTicks }: Shell): RunProcesses {
  return new RunProcesses(runId, { pid, startTicks, isOurs: true }, null);
}

describe.skipIf(!has('/proc', existsSync('/proc/self/stat')))('stopping the processes of a run', () => {
  it('is done as soon as they have ended after SIGTERM', async () => {
    const shell = startShell('sleep 600 & echo child $!; wait');
    const child = await shell.said('child');
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
    expect(await shell.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await isRunning(child)).toBe(false);
  });

  it('lets a script clean up', async () => {
    const shell = startShell('trap "exit 7" TERM; echo up $$; while :; do sleep 0.02; done');
    await shell.said('up');
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
    expect(await shell.exited).toEqual({ code: 7, signal: null });
  });

  it('kills processes that ignore SIGTERM after the grace period, and not before', async () => {
    const shell = startShell('trap "" TERM; sleep 600 & echo child $!; wait');
    const child = await shell.said('child');
    const graceMs = 400;
    const startedMs = performance.now();
    const endedMs = shell.exited.then(() => performance.now());
    expect(await terminate(processesOf(shell), graceMs)).toBe(0);
    expect((await endedMs) - startedMs).toBeGreaterThanOrEqual(graceMs);
    expect(await shell.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await isRunning(child)).toBe(false);
  });

  it('kills at once when there is no grace period', async () => {
    const shell = startShell('trap "" TERM; echo up $$; while :; do sleep 600; done');
    await shell.said('up');
    expect(await terminate(processesOf(shell), 0)).toBe(0);
    expect((await shell.exited).signal).toBe('SIGKILL');
  });

  it('continues stopped processes, so that they can handle SIGTERM', async () => {
    const shell = startShell('trap "exit 7" TERM; echo up $$; kill -STOP $$; while :; do sleep 0.02; done');
    await shell.said('up');
    await untilSo(() => statOf(shell.pid).state === 'T');
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
    expect(await shell.exited).toEqual({ code: 7, signal: null });
  });

  it('finds a grandchild in a separate session by its variable, although its parents have ended', async () => {
    const shell = startShell('(setsid sh -c "echo away \\$\\$; exec sleep 600" &); exec sleep 600');
    const away = await shell.said('away');
    expect(statOf(away).group).toBe(away);
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
    expect(await isRunning(away)).toBe(false);
    expect((await shell.exited).signal).toBe('SIGTERM');
  });

  it('finds it also when no other process of the run is left', async () => {
    const shell = startShell('setsid sh -c "trap \\"\\" TERM; echo away \\$\\$; exec sleep 600" & exit 0');
    const away = await shell.said('away');
    await shell.exited;
    expect(await terminate(processesOf(shell), 50)).toBe(0);
    expect(await isRunning(away)).toBe(false);
  });

  it('finds processes without the group and the variable by their descent, and keeps track of them', async () => {
    // It ignores SIGTERM, and so outlives the parent by which it was found.
    const shell = startShell(
      'setsid env -i sh -c "trap \\"\\" TERM; echo away \\$\\$; exec sleep 600" & wait',
    );
    const away = await shell.said('away');
    expect(await terminate(processesOf(shell), 100)).toBe(0);
    expect(await isRunning(away)).toBe(false);
    expect((await shell.exited).signal).toBe('SIGTERM');
  });

  it('kills processes started during the grace period', async () => {
    const shell = startShell(`
      trap 'setsid sh -c "echo born \\$\\$; exec sleep 600" & setsid env -i sh -c "echo bare \\$\\$; exec sleep 600" &' TERM
      echo up $$
      while :; do sleep 0.02; done`);
    await shell.said('up');
    const ending = terminate(processesOf(shell), 1000);
    const born = await shell.said('born');
    const bare = await shell.said('bare');
    expect(await ending).toBe(0);
    expect((await shell.exited).signal).toBe('SIGKILL');
    expect(await isRunning(born)).toBe(false);
    expect(await isRunning(bare)).toBe(false);
  });

  it('stops a process that constantly starts others', async () => {
    const shell = startShell(`trap '' TERM; echo up $$; while :; do setsid sleep 600 & sleep 0.01; done`);
    await shell.said('up');
    const run = processesOf(shell);
    expect(await terminate(run, 100)).toBe(0);
    expect(await terminate(run, endlessMs)).toBe(0);
  });

  it('is done at once when no process is left', async () => {
    const shell = startShell('exit 0');
    await shell.exited;
    const startedMs = performance.now();
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(endlessMs / 20);
  });

  it('does not wait for zombies', async () => {
    // It exits when its parent is not a shell any longer: a shell would collect its exit code.
    const shell = startShell(`
      export CHILD='until read -r name < /proc/$PPID/comm && [ "$name" = sleep ]; do :; done'
      setsid sh -c 'sh -c "$CHILD" & echo dead $!; exec sleep 600' & wait`);
    const dead = await shell.said('dead');
    await untilSo(() => statOf(dead).state === 'Z');
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
  });

  it('spares the processes of another run', async () => {
    const shell = startShell('exec sleep 600');
    const other = startShell('setsid sleep 600 & echo child $!; wait');
    const child = await other.said('child');
    expect(await terminate(processesOf(shell), endlessMs)).toBe(0);
    expect(await isRunning(other.pid)).toBe(true);
    expect(await isRunning(child)).toBe(true);
  });
});
