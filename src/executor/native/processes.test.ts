import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readSync, symlinkSync, writeSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { has, testPath } from '../../../test/support/needs.ts';
import { loadProcesses, openHandles, readAll } from '../../../test/support/warm-scene.ts';
import type { NativeProcesses, ProcessExit, Program } from './processes.ts';

const isHere = has('Linux', existsSync('/proc/self/stat'));

async function setUp() {
  const folder = await tempFolder();
  return { folder, processes: loadProcesses() };
}

function sh(text: string, more: Partial<Program> = {}): Program {
  return { file: '/bin/sh', args: ['-c', text], env: { PATH: '/usr/bin:/bin' }, cwd: '/', ...more };
}

async function run(processes: NativeProcesses, program: Program) {
  const { exited, stdout, stderr } = processes.startWithOutputs(program);
  const exit = await exited;
  return { ...exit, stdout: readAll(stdout), stderr: readAll(stderr) };
}

function codeOf(action: () => unknown): unknown {
  try {
    action();
    return 'none';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe.skipIf(!isHere)('native processes', () => {
  it('report output and exit code, and close all handles', async () => {
    const { processes } = await setUp();
    await run(processes, sh('true'));
    const before = openHandles();
    expect(await run(processes, sh('echo 出; echo 错 > /dev/stderr; exit 7'))).toEqual({
      code: 7,
      signal: null,
      error: null,
      stdout: '出\n',
      stderr: '错\n',
    });
    expect(openHandles()).toBe(before);
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGABRT', 'SIGHUP'] as const)(
    'report that %s ended one',
    async (signal) => {
      const { processes } = await setUp();
      const exit = await run(processes, sh(`kill -${constants.signals[signal]} $$`));
      expect(exit).toMatchObject({ code: null, signal });
    },
  );

  it('report a real-time signal, which has no name, by its number', async () => {
    const { processes } = await setUp();
    expect(await run(processes, sh('kill -40 $$'))).toMatchObject({ code: 168, signal: null });
  });

  it('report each exit of many that end at once', async () => {
    const { processes } = await setUp();
    const codes = Array.from({ length: 100 }, (_, index) => index);
    const exits = await Promise.all(codes.map((code) => run(processes, sh(`exit ${code}`))));
    expect(exits.map(({ code }) => code)).toEqual(codes);
  });

  it('leave the processes that Node has started to Node', async () => {
    const { processes } = await setUp();
    const own = run(processes, sh('sleep 0.1; exit 3'));
    expect(execFileSync('/bin/sh', ['-c', 'echo node'], { encoding: 'utf8' })).toBe('node\n');
    expect((await own).code).toBe(3);
  });

  it('give a program its folder, its arguments, exactly its environment, and an empty input', async () => {
    const { folder, processes } = await setUp();
    const cwd = join(folder, '文件 夹');
    await mkdir(cwd);
    const program = {
      file: '/bin/sh',
      args: ['-c', 'pwd; printf "[%s]" "$@"; printf "|"; env; cat', 'sh', 'a b', '', '中文', '$HOME"\''],
      env: { PATH: '/usr/bin:/bin', NAME: '值 = 1\n2' },
      cwd,
    };
    const { stdout } = await run(processes, program);
    const [folderAndArguments, variables = ''] = stdout.split('|');
    expect(folderAndArguments).toBe(`${cwd}\n[a b][][中文][$HOME"']`);
    expect(variables.split('\n').sort()).toEqual(
      ['', '2', 'NAME=值 = 1', 'PATH=/usr/bin:/bin', `PWD=${cwd}`].sort(),
    );
  });

  it('give a program shared variables, its own in place of those of the same name, and PYTHONPATH last', async () => {
    const { processes } = await setUp();
    const shared = { PATH: '/usr/bin:/bin', PYTHONPATH: '/shared', COLOR: 'red', EMPTY: '' };
    const printed = async (env: Record<string, string>) => {
      const { stdout } = await run(processes, { file: 'env', args: [], shared, env, cwd: '/' });
      return stdout.trimEnd().split('\n');
    };
    const usual = ['PATH=/usr/bin:/bin', 'COLOR=red', 'EMPTY=', 'OWN=1', 'PYTHONPATH=/shared'];
    expect(await printed({ OWN: '1' })).toEqual(usual);
    expect(await printed({ PYTHONPATH: '/own', COLOR: 'blue', OWN: '1' })).toEqual([
      'PATH=/usr/bin:/bin',
      'COLOR=blue',
      'EMPTY=',
      'OWN=1',
      'PYTHONPATH=/own',
    ]);
    expect(await printed({ OWN: '1' })).toEqual(usual);
    const start = (env: Record<string, string>, own = shared) =>
      codeOf(() => processes.start({ file: 'env', args: [], shared: own, env, cwd: '/' }, []));
    expect(start({ OWN: 'a\0b' })).toBe('EINVAL');
    expect(start({}, { ...shared, COLOR: 'a\0b' })).toBe('EINVAL');
  });

  it('give a program a writing end that waits, although that of this process does not', async () => {
    const { processes } = await setUp();
    // More than a pipe holds.
    const text = '0'.repeat(300_000);
    const { exited, stdout, stderr } = processes.startWithOutputs(sh(`printf %0${text.length}d 0`));
    closeSync(stderr);
    const pieces: Buffer[] = [];
    const buffer = Buffer.alloc(65_536);
    for (let length = 0; length < text.length; ) {
      await new Promise(setImmediate);
      try {
        const bytes = readSync(stdout, buffer);
        pieces.push(Buffer.from(buffer.subarray(0, bytes)));
        length += bytes;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'EAGAIN') throw error;
      }
    }
    expect(Buffer.concat(pieces).toString()).toBe(text);
    expect(await exited).toMatchObject({ code: 0 });
    closeSync(stdout);
  });

  it('give a program a session of its own, default signals, and none of their own handles', async () => {
    const { processes } = await setUp();
    const pipe = processes.openPipe();
    const channel = processes.openChannel();
    const own = [pipe.readFd, pipe.writeFd, ...channel].map(String);
    const text =
      'import os, signal\n' +
      'print(os.getsid(0) == os.getpid(), signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, []))\n' +
      'print(" ".join(os.listdir("/proc/self/fd")))\n';
    const python = {
      file: '/usr/bin/env',
      args: ['python3', '-I', '-S', '-c', text],
      env: { PATH: testPath },
    };
    const { stdout, stderr } = await run(processes, sh('', python));
    expect(stderr).toBe('');
    const [state, handles = ''] = stdout.split('\n');
    expect(state).toBe('True 0 set()');
    expect(handles.split(' ').filter((each) => own.includes(each))).toEqual([]);
    pipe.release();
    for (const fd of [pipe.readFd, ...channel]) closeSync(fd);
  });

  it.each([
    ['a missing program', { file: '/nowhere/program' }, 'ENOENT'],
    ['a program that is on no PATH', { file: 'no-such-program' }, 'ENOENT'],
    ['a file that may not be executed', { file: '/etc/passwd' }, 'EACCES'],
    ['a missing folder', { cwd: '/nowhere' }, 'ENOENT'],
    ['a folder that is a file', { cwd: '/etc/passwd' }, 'ENOTDIR'],
    ['an argument with a zero byte', { args: ['a\0b'] }, 'EINVAL'],
    ['too many arguments', { args: Array.from({ length: 100 }, () => 'x'.repeat(100_000)) }, 'E2BIG'],
  ] satisfies [string, Partial<Program>, string][])('name the error for %s', async (_what, more, code) => {
    const { processes } = await setUp();
    const before = openHandles();
    expect(codeOf(() => processes.startWithOutputs(sh('true', more)))).toBe(code);
    expect(openHandles()).toBe(before);
  });

  it('pass arguments of a megabyte', async () => {
    const { processes } = await setUp();
    const args = [
      '-c',
      'printf %s "$*" | wc -c',
      'sh',
      ...Array.from({ length: 10 }, () => 'x'.repeat(100_000)),
    ];
    expect((await run(processes, sh('', { args }))).stdout.trim()).toBe('1000009');
  });

  it('search a name in the PATH of the program, past files that cannot be executed', async () => {
    const { folder, processes } = await setUp();
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await Promise.all([first, second].map((each) => mkdir(each)));
    await writeFile(join(first, 'tool'), 'not a program', { mode: 0o600 });
    await writeFile(join(second, 'tool'), '#!/bin/sh\necho found "$1"\n');
    await chmod(join(second, 'tool'), 0o700);
    const program = { file: 'tool', args: ['it'], env: { PATH: `/nowhere:${first}:${second}` } };
    expect((await run(processes, sh('', program))).stdout).toBe('found it\n');
  });

  it('run a text file without an interpreter line as a shell script', async () => {
    const { folder, processes } = await setUp();
    const file = join(folder, 'plain text');
    await writeFile(file, 'echo "$0" "$1"\n', { mode: 0o700 });
    expect((await run(processes, sh('', { file, args: ['one'] }))).stdout).toBe(`${file} one\n`);
  });

  it('open a pipe that other processes can open until it is released', async () => {
    const { folder, processes } = await setUp();
    const before = openHandles();
    const pipe = processes.openPipe();
    const link = join(folder, 'pipe');
    symlinkSync(pipe.path, link);
    const writer = openSync(link, 'w');
    writeSync(writer, 'hello');
    closeSync(writer);
    const chunk = Buffer.alloc(10);
    expect(chunk.toString('utf8', 0, readSync(pipe.readFd, chunk))).toBe('hello');
    // It never blocks a reader.
    expect(codeOf(() => readSync(pipe.readFd, chunk))).toBe('EAGAIN');
    pipe.release();
    expect(readSync(pipe.readFd, chunk)).toBe(0);
    expect(codeOf(() => openSync(link, 'w'))).toBe('ENOENT');
    closeSync(pipe.readFd);
    expect(openHandles()).toBe(before);
  });

  it('do not adopt a process that is no child', async () => {
    const { processes } = await setUp();
    const received: ProcessExit[] = [];
    expect(processes.adopt(1, (exit) => received.push(exit))).toBe(false);
    expect(received).toEqual([]);
  });

  it('leave no zombie', async () => {
    const { processes } = await setUp();
    const { pid, exited } = processes.start(sh('exit 0'), [null, null, null]);
    await exited;
    expect(readdirSync('/proc')).not.toContain(String(pid));
  });
});
