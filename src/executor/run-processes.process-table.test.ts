import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { projectRoot, tempFolder } from '../../test/support/hob.ts';
import { findProgram, has } from '../../test/support/needs.ts';
import { startShell, statOf, untilSo } from '../../test/support/shells.ts';
import {
  hasProcessExited,
  isEnding,
  isSameProcess,
  type ProcessEntry,
  parsePs,
  readProcessTable,
  startTicksOf,
} from './run-processes.ts';

const python = findProgram('python3');
const hasProc = has('/proc', existsSync('/proc/self/stat'));

/** A child with exactly this environment. It is killed when the test ends. */
function startSleep(env: Record<string, string>): number {
  const child = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'ignore', env });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child.pid ?? 0;
}

async function entryOf(pid: number): Promise<ProcessEntry | undefined> {
  const table = await readProcessTable(0);
  return table?.find((entry) => entry.pid === pid);
}

describe.skipIf(!hasProc)('the table of processes', () => {
  it('contains our child with its parent, group, session and start', async () => {
    const pid = startSleep({ HOB_RUN_ID: 'mine' });
    const startTicks = startTicksOf(pid);
    expect(startTicks).toBeGreaterThan(0);
    expect(await entryOf(pid)).toEqual({
      pid,
      parent: process.pid,
      group: pid,
      session: pid,
      startTicks,
      runId: 'mine',
    });
  });

  it.each([
    ['first', { HOB_RUN_ID: 'the-run', A: '1', B: '2' }],
    ['in the middle', { A: '1', HOB_RUN_ID: 'the-run', B: '2' }],
    ['last', { A: '1', B: '2', HOB_RUN_ID: 'the-run' }],
    ['the only one', { HOB_RUN_ID: 'the-run' }],
  ])('finds the run by its variable when that is %s in the environment', async (_where, env) => {
    const pid = startSleep(env);
    const names = readFileSync(`/proc/${pid}/environ`, 'latin1').match(/\w+(?==)/g);
    expect(names).toEqual(Object.keys(env));
    expect((await entryOf(pid))?.runId).toBe('the-run');
  });

  it('finds the run also of a process that executes another program again and again', async () => {
    const circle = join(await tempFolder(), 'circle');
    await writeFile(circle, '#!/bin/sh\nexec "$0"\n', { mode: 0o755 });
    const shell = startShell(`echo up $$; exec ${circle}`);
    await shell.said('up');
    let missed = 0;
    for (let look = 0; look < 200; look++) {
      const table = (await readProcessTable(shell.startTicks)) ?? [];
      if (table.find(({ pid }) => pid === shell.pid)?.runId !== shell.runId) missed++;
    }
    // The process may call execve repeatedly between the reads of one of its files.
    expect(missed).toBeLessThanOrEqual(2);
  });

  it.skipIf(python === null)('finds a process that forks and exits again and again', async () => {
    const hop = 'import os, time\nwhile True:\n  if os.fork(): os._exit(0)\n  time.sleep(0.004)';
    const env = { HOB_RUN_ID: 'hops' };
    const first = spawn(String(python), ['-c', hop], { detached: true, stdio: 'ignore', env });
    const { pid = 0 } = first;
    onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
    const sinceTicks = startTicksOf(pid);
    await new Promise((resolve) => first.once('exit', resolve));
    const found: number[] = [];
    for (let look = 0; look < 60; look++) {
      const table = (await readProcessTable(sinceTicks)) ?? [];
      found.push(table.filter(({ runId }) => runId === env.HOB_RUN_ID).length);
    }
    expect(found).not.toContain(0);
  });

  it('reads an environment completely, however large it is', async () => {
    const cookie = 'HOB_RUN_ID=far-back\0';
    // Around the sizes at which the buffer is completely full, and well beyond.
    for (const size of [65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 400_000]) {
      const env: Record<string, string> = {};
      for (let left = size - cookie.length, index = 0; left > 0; index++) {
        const name = `FILL${index}`.padEnd(8, '_');
        const takes = left > 120_000 ? 100_000 : left;
        env[name] = 'x'.repeat(takes - name.length - 2);
        left -= takes;
      }
      const pid = startSleep({ ...env, HOB_RUN_ID: 'far-back' });
      expect(readFileSync(`/proc/${pid}/environ`)).toHaveLength(size);
      expect([size, (await entryOf(pid))?.runId]).toEqual([size, 'far-back']);
    }
  });

  it('finds no run for a process without the variable, or with a similar one', async () => {
    const bare = startSleep({});
    const alike = startSleep({ XHOB_RUN_ID: 'no', A: 'HOB_RUN_ID=no', HOB_RUN_IDS: 'no', hob_run_id: 'no' });
    expect(await entryOf(bare)).toMatchObject({ pid: bare, runId: null });
    expect(await entryOf(alike)).toMatchObject({ pid: alike, runId: null });
  });

  it('reports an empty variable as an empty run id', async () => {
    expect((await entryOf(startSleep({ HOB_RUN_ID: '', A: '1' })))?.runId).toBe('');
  });

  it('does not use bytes that a larger environment left in the buffer', async () => {
    const large = startSleep({ A: 'x'.repeat(1000), HOB_RUN_ID: 'large' });
    const small = startSleep({ B: 'y' });
    const table = (await readProcessTable(startTicksOf(large))) ?? [];
    expect(table.find(({ pid }) => pid === large)?.runId).toBe('large');
    expect(table.find(({ pid }) => pid === small)?.runId).toBeNull();
  });

  it('excludes zombies', async () => {
    // The child ends after another program has replaced the shell. That program does not know it, so it never waits for it.
    const shell = startShell(
      '(until read name < /proc/$$/comm && [ "$name" = sleep ]; do :; done) & echo dead $!; exec sleep 600',
    );
    const dead = await shell.said('dead');
    await untilSo(() => statOf(dead).state === 'Z');
    const table = (await readProcessTable(0)) ?? [];
    expect(table.some(({ pid }) => pid === shell.pid)).toBe(true);
    expect(table.some(({ pid }) => pid === dead)).toBe(false);
  });

  it('excludes processes that started earlier than requested', async () => {
    const pid = startSleep({});
    const startTicks = startTicksOf(pid);
    const pidsSince = async (ticks: number) => (await readProcessTable(ticks))?.map((entry) => entry.pid);
    expect(await pidsSince(startTicks)).toContain(pid);
    expect(await pidsSince(startTicks)).not.toContain(process.pid);
    expect(await pidsSince(startTicks + 1)).not.toContain(pid);
    expect(await pidsSince(0)).toEqual(expect.arrayContaining([pid, process.pid]));
  });

  it('is null, and not incomplete, when there is no free file handle', () => {
    const table = pathToFileURL(join(projectRoot, 'build', 'executor', 'run-processes.js'));
    const program = `
      import { openSync } from 'node:fs';
      import { readProcessTable } from '${table}';
      const before = await readProcessTable(0);
      try { for (;;) openSync('/dev/null'); } catch {}
      process.stdout.write(JSON.stringify([before.length > 1, await readProcessTable(0)]));`;
    const { stdout } = spawnSync(
      '/bin/sh',
      ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program],
      { encoding: 'utf8' },
    );
    expect(stdout).toBe('[true,null]');
  });
});

describe.skipIf(!hasProc)('the start of a process', () => {
  it('does not change when the process executes another program', async () => {
    const shell = startShell('echo up $$; read go; exec sleep 600');
    const pid = await shell.said('up');
    const before = startTicksOf(pid);
    shell.tell('go');
    await untilSo(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n');
    expect(startTicksOf(pid)).toBe(before);
  });

  it('is zero when it has ended', async () => {
    const shell = startShell('exit 0');
    await shell.exited;
    expect(startTicksOf(shell.pid)).toBe(0);
  });
});

describe('the output of ps', () => {
  it('is parsed into a table without sessions, starts and environments', () => {
    const output = '    1     0     1 Ss  \n  412     1   412 S<s+\n 9001   412   412 R+\n';
    const nothing = { session: 0, startTicks: 0, runId: null };
    expect(parsePs(output)).toEqual([
      { pid: 1, parent: 0, group: 1, ...nothing },
      { pid: 412, parent: 1, group: 412, ...nothing },
      { pid: 9001, parent: 412, group: 412, ...nothing },
    ]);
  });

  it('contains zombies, which are excluded', () => {
    const output = '  501     1   501 Z+\n  502     1   502 Ts\n  503   502   502 Z\n';
    expect(parsePs(output).map(({ pid }) => pid)).toEqual([502]);
  });

  it('may be empty', () => {
    expect(parsePs('')).toEqual([]);
    expect(parsePs('\n')).toEqual([]);
  });
});

describe.skipIf(!hasProc)('a process', () => {
  it('is the same while it runs, and not when another process has its id', async () => {
    const { pid, startTicks, child, exited } = startShell('read go');
    expect(isSameProcess(pid, startTicks)).toBe(true);
    expect(isSameProcess(pid, startTicks + 1)).toBe(false);
    expect(isEnding(pid)).toBe(false);
    child.kill('SIGKILL');
    // For a moment between the signal and the exit, the kernel shows no trace of the kill. The exit itself takes
    // longer.
    let looks = 0;
    while (!isEnding(pid) && looks < 1000) looks++;
    expect(looks).toBeLessThan(1000);
    await exited;
    expect(isSameProcess(pid, startTicks)).toBe(false);
  });

  it('is not running any more when it is a zombie', async () => {
    const { said } = startShell('sleep 600 & echo child $!; kill -9 $!; exec sleep 600');
    const pid = await said('child');
    const startTicks = startTicksOf(pid);
    await untilSo(() => statOf(pid)?.state === 'Z');
    expect(isSameProcess(pid, startTicks)).toBe(false);
    expect(hasProcessExited(pid, startTicks)).toBe(true);
    expect(hasProcessExited(pid, 0)).toBe(true);
  });

  it('has exited when it is gone, or another process has its id, and not before', async () => {
    const { pid, startTicks, child, exited } = startShell('read go');
    expect(hasProcessExited(pid, startTicks)).toBe(false);
    expect(hasProcessExited(pid, 0)).toBe(false);
    expect(hasProcessExited(pid, startTicks + 1)).toBe(true);
    child.kill('SIGKILL');
    await exited;
    expect(hasProcessExited(pid, startTicks)).toBe(true);
    expect(hasProcessExited(pid, 0)).toBe(true);
  });

  it.skipIf(python === null)('has not exited when only its main thread has', async () => {
    const program = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
ctypes.CDLL(None).pthread_exit(None)
`;
    const { pid, startTicks } = startShell(`exec "${python}" -c '${program}'`);
    await untilSo(() => statOf(pid)?.state === 'Z');
    expect(hasProcessExited(pid, startTicks)).toBe(false);
  });
});
