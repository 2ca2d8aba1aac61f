import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { findProgram, has } from '../../../test/support/needs.ts';
import { killEach } from '../../../test/support/processes.ts';
import { until } from '../../../test/support/until.ts';
import {
  openHandles,
  openWarmScene,
  parentOf,
  readAll,
  type WarmScene,
} from '../../../test/support/warm-scene.ts';
import type { GivenRun } from '../given-run.ts';
import { isSameProcess, startTicksOf } from '../process-table.ts';
import type { Launched } from './launcher.ts';
import { Launcher } from './launcher.ts';

const python = findProgram('python3');
const canLaunch = has('Python on Linux', python !== null && existsSync('/proc/self/stat'));
const original = readFileSync(fileURLToPath(new URL('launcher.py', import.meta.url)), 'utf8');

async function openLauncher(change: (text: string) => string = (text) => text) {
  const scene = await openWarmScene();
  let nowMs = 0;
  const program = join(scene.folder, 'launcher.py');
  writeFileSync(program, change(original));
  const launcher = new Launcher({ python: python ?? '', program, fifos: scene.fifos, now: () => nowMs });
  onTestFinished(() => launcher.close());
  const sh = (text: string, options: Partial<GivenRun> = {}) => specOf(scene, text, options);
  /** Starts the program, once there is a launcher process. */
  const start = async (text: string, options: Partial<GivenRun> = {}): Promise<Launched> => {
    let launched: Launched | null = null;
    await until('the program is started', async () => {
      launched = await launcher.start(await sh(text, options));
      return launched !== null;
    });
    return launched ?? fail();
  };
  const ready = async () => seeThrough(await start('exit 0'));
  return { scene, launcher, sh, start, ready, advance: (ms: number) => (nowMs += ms) };
}

function specOf(scene: WarmScene, text: string, options: Partial<GivenRun>): Promise<GivenRun> {
  return scene.run('', { file: '/bin/sh', args: ['-c', text, 'name', 'an argument'], ...options });
}

function fail(): Launched {
  throw new Error('the program was not started');
}

async function seeThrough({ exited, stdout, stderr }: Launched) {
  const { code, signal, isUnseen } = await exited;
  return { code, signal, isUnseen: isUnseen ?? false, stdout: readAll(stdout), stderr: readAll(stderr) };
}

describe.skipIf(!canLaunch)('a launcher', () => {
  it('starts programs, and reports how each of them ended', async () => {
    const { launcher, start, ready } = await openLauncher();
    await ready();
    const plain = { code: 0, signal: null, isUnseen: false, stdout: '', stderr: '' };
    for (const [text, expected] of [
      ['echo "$0 $1"; echo no >&2', { ...plain, stdout: 'name an argument\n', stderr: 'no\n' }],
      ['exit 129', { ...plain, code: 129 }],
      ['kill -TERM $$', { ...plain, code: null, signal: 'SIGTERM' }],
      ['kill -KILL $$', { ...plain, code: null, signal: 'SIGKILL' }],
      ['echo again > /dev/stderr', { ...plain, stderr: 'again\n' }],
      ['cat', plain],
    ] as const) {
      const launched = await start(text);
      expect(launched.startTicks).toBe(startTicksOf(launched.pid ?? 0) || launched.startTicks);
      expect(await seeThrough(launched)).toEqual(expected);
    }
    const { pid, ...slow } = await start('exec sleep 30');
    expect(parentOf(pid ?? 0)).toBe(launcher.pid);
    killEach([pid ?? 0]);
    expect(await seeThrough({ pid, ...slow })).toEqual({ ...plain, code: null, signal: 'SIGKILL' });
  });

  it('gives a program exactly what Node would give it', async () => {
    const { scene, sh, start, ready } = await openLauncher();
    await ready();
    const text = `
      grep -E '^(Sig(Blk|Ign|Cgt)|Umask|Groups)' /proc/self/status
      ls /proc/$$/fd; cd .; pwd; cat /proc/$$/limits /proc/$$/cmdline | tr '\\0' ' '
      tr '\\0' '\\n' < /proc/$$/environ; test "$(ps -o sid= -p $$)" -eq $$ && test "$(ps -o pgid= -p $$)" -eq $$ && echo leader`;
    const env = { ...scene.env, 名: '值 with "quotes"\nand lines', HOB_RUN: 'x' };
    const spec = await sh(text, { env });
    const child = spawn(spec.file, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: 'pipe',
    });
    child.stdin.end();
    let cold = '';
    child.stdout.on('data', (chunk: Buffer) => (cold += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    const launched = await start(text, { env, runId: spec.runId });
    const { stdout, stderr } = await seeThrough(launched);
    // The C library uses two signals among its own threads. It ignores them in every program that it starts.
    const withoutId = (all: string) =>
      all.replaceAll(/^HOB_RUN.*=.*$/gm, '').replace(/^(SigIgn:\t0{7})18/m, '$100');
    expect(withoutId(stdout)).toBe(withoutId(cold));
    expect(stdout).toContain('leader');
    expect(stderr).toBe('');
  });

  it('gives each program the current shared environment, and its own variables', async () => {
    const { start, ready } = await openLauncher();
    await ready();
    const printWith = async (own: string, shared: Record<string, string>) =>
      (await seeThrough(await start('echo "$A $B $C"', { env: { B: own }, shared }))).stdout;
    const first = { A: '甲', B: 'shared' };
    expect(await printWith('1', first)).toBe('甲 1 \n');
    expect(await printWith('2', first)).toBe('甲 2 \n');
    expect(await printWith('3', { C: 'later' })).toBe(' 3 later\n');
  });

  it('reuses its pipes, and leaks no handle', async () => {
    const { start, ready } = await openLauncher();
    await ready();
    await seeThrough(await start('echo 1'));
    const before = openHandles();
    for (let count = 0; count < 50; count++)
      expect((await seeThrough(await start('echo $1'))).stdout).toBe('an argument\n');
    expect(openHandles()).toBe(before);
  });

  it('returns null for programs that it cannot start', async () => {
    const { scene, launcher, sh, ready } = await openLauncher();
    await ready();
    const before = openHandles();
    for (const options of [
      { file: '/nowhere/sh' },
      { file: 'sh' },
      { cwd: '/nowhere' },
      { env: { 'WITH\0NUL': 'x' } },
      { file: join(scene.folder, 'not executable') },
    ]) {
      expect(await launcher.start(await sh('exit 0', options))).toBeNull();
    }
    expect(openHandles()).toBe(before);
    await ready();
  });

  it('is started again when it was killed, and its running programs are watched until they end', async () => {
    const { launcher, sh, start, ready, advance } = await openLauncher();
    await ready();
    const running = await start('sleep 0.3; echo late');
    killEach([launcher.pid ?? 0]);
    const result = await seeThrough(running);
    expect(result).toEqual({ code: null, signal: null, isUnseen: true, stdout: 'late\n', stderr: '' });
    expect(await launcher.start(await sh('exit 0'))).toBeNull();
    expect(launcher.pid).toBeUndefined();
    advance(60_000);
    await ready();
  });

  it('accepts no requests once it is closed, and returns null for a pending one', async () => {
    const { launcher, sh, ready } = await openLauncher();
    await ready();
    const before = openHandles();
    const spec = await sh('exit 0');
    const pending = launcher.start(spec);
    launcher.close();
    expect(await pending).toBeNull();
    await until('no handle is left open', async () => openHandles() <= before);
  });

  it('keeps the exit codes of its programs when it stood still, and a request meanwhile runs once', async () => {
    const { scene, launcher, sh, start, ready, advance } = await openLauncher();
    await ready();
    const pid = launcher.pid ?? 0;
    const startTicks = startTicksOf(pid);
    const go = join(scene.folder, 'go');
    const running = await Promise.all(
      [3, 4, 5].map((code) => start(`while [ ! -e "${go}" ]; do sleep 0.02; done; exit ${code}`)),
    );
    process.kill(pid, 'SIGSTOP');
    const ran = join(scene.folder, 'ran');
    expect(await launcher.start(await sh(`echo >> "${ran}"`))).toBeNull();
    writeFileSync(go, '');
    process.kill(pid, 'SIGCONT');
    for (const [index, each] of running.entries())
      expect(await seeThrough(each)).toMatchObject({ code: 3 + index, isUnseen: false });
    await until('the launcher has ended', async () => !isSameProcess(pid, startTicks));
    // The withdrawn request was not carried out when the launcher continued.
    expect(existsSync(ran)).toBe(false);
    advance(60_000);
    await ready();
    expect(launcher.pid).not.toBe(pid);
  });

  it('waits for a start that it has begun, however long that takes', async () => {
    const { scene, launcher, sh, start, ready } = await openLauncher((text) =>
      text.replace('os.chdir(order["cwd"])', 'while os.path.exists(order["cwd"] + "/slow"): pass'),
    );
    await ready();
    const slow = join(scene.folder, 'slow');
    const running = await start('sleep 0.1; exit 6');
    writeFileSync(slow, '');
    const begun = launcher.start(await sh('echo late; exit 7', { cwd: scene.folder }));
    // This request waits behind the first one. It is withdrawn, which shows that the launcher was given up.
    expect(await launcher.start(await sh('exit 8', { cwd: scene.folder }))).toBeNull();
    rmSync(slow);
    expect(await seeThrough((await begun) ?? fail())).toMatchObject({
      code: 7,
      isUnseen: false,
      stdout: 'late\n',
    });
    expect(await seeThrough(running)).toMatchObject({ code: 6, isUnseen: false });
  });

  it('is killed when it does not answer, and its pending request returns null', async () => {
    const { launcher, sh, ready } = await openLauncher();
    await ready();
    const pid = launcher.pid ?? 0;
    const startTicks = startTicksOf(pid);
    process.kill(pid, 'SIGSTOP');
    expect(await launcher.start(await sh('exit 0'))).toBeNull();
    await until('the launcher has ended', async () => !isSameProcess(pid, startTicks));
  });

  it('is not killed when it answered while this process was blocked', async () => {
    const { scene, launcher, sh, ready } = await openLauncher();
    await ready();
    const pid = launcher.pid ?? 0;
    const ran = join(scene.folder, 'ran');
    process.kill(pid, 'SIGSTOP');
    const pending = launcher.start(
      await sh(`echo > "${ran}"; while [ ! -e "${ran}.go" ]; do sleep 0.02; done; exit 7`),
    );
    const sinceMs = performance.now();
    await setImmediate();
    process.kill(pid, 'SIGCONT');
    const held = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(ran) || performance.now() - sinceMs < 3500) Atomics.wait(held, 0, 0, 20);
    const launched = await pending;
    // If the launcher had been killed, the exit code of the program would be unknown.
    writeFileSync(`${ran}.go`, '');
    expect(await seeThrough(launched ?? fail())).toMatchObject({ code: 7, isUnseen: false });
  });

  it('stays alive until it has reported the exits of all its programs', async () => {
    const { launcher, start, ready } = await openLauncher();
    await ready();
    const pid = launcher.pid ?? 0;
    const startTicks = startTicksOf(pid);
    const running = await start('sleep 0.3; exit 7');
    launcher.close();
    expect((await seeThrough(running)).code).toBe(7);
    await until('the launcher has ended', async () => !isSameProcess(pid, startTicks));
  });
});
