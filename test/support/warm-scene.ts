import { randomUUID } from 'node:crypto';
import { closeSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { type RunSpec, runCookie } from '../../src/execution/messages.ts';
import { FifoPool, type OutputPipe } from '../../src/executor/fifo-pool.ts';
import type { InterpreterSpec, Order, WarmInterpreter } from '../../src/executor/warm/warm-interpreter.ts';
import { tempFolder } from './hob.ts';
import { findProgram, testPath } from './needs.ts';
import { killEach, processesWith } from './processes.ts';
import { until } from './until.ts';

export const programs = {
  python: fileURLToPath(new URL('../../src/executor/warm/python/start', import.meta.url)),
  'node.js': fileURLToPath(new URL('../../dist/executor/warm/node-host.cjs', import.meta.url)),
};

export const pythonFile = findProgram('python3') ?? 'python3';

/** What warm interpreters need around them, in a folder of the test's own, and the processes that they are. */
export interface WarmScene {
  readonly folder: string;
  readonly fifos: FifoPool;
  /** An environment by which every process of the test is known. */
  readonly env: Record<string, string>;
  /** Python, in that environment. */
  python(options?: Partial<InterpreterSpec>): InterpreterSpec;
  /** A run of a program that is written for it. */
  order(text: string, options?: { args?: string[] }): Promise<Order>;
  /** The same as the executor is told of it. */
  run(text: string, options?: Partial<RunSpec>): Promise<RunSpec>;
  processes(): Promise<number[]>;
  /** Waits until none of its processes is left. */
  noneLeft(): Promise<void>;
  /** The names of pipes, and of what else lies with them, that were taken, not given back, and are still there. */
  names(): string[];
  /** How many file handles of this process are open, but for those of pipes that wait to be lent again. */
  handles(): number;
}

export async function openWarmScene(): Promise<WarmScene> {
  const folder = await tempFolder();
  const pipes = join(folder, 'pipes');
  const fifos = new FifoPool(pipes);
  await fifos.open();
  const taken = new Set<string>();
  const id = randomUUID();
  const env = { PATH: testPath, TEST_TRACE: id, PYTHONUTF8: '1' };
  const processes = () => processesWith(`TEST_TRACE=${id}`);
  onTestFinished(async () => {
    killEach(await processes());
    await fifos.close();
  });
  const idle = new Set<string>();
  const takeNamed = fifos.takeNamed.bind(fifos);
  fifos.takeNamed = async () => {
    const fifo = await takeNamed();
    taken.add(fifo.path);
    return fifo;
  };
  const lend = fifos.lend.bind(fifos);
  fifos.lend = async () => {
    const fifo = await lend();
    idle.delete(fifo.path);
    taken.add(fifo.path);
    return fifo;
  };
  const giveBack = fifos.giveBack.bind(fifos);
  fifos.giveBack = (fifo) => {
    taken.delete(fifo.path);
    idle.add(fifo.path);
    giveBack(fifo);
  };
  const write = async (text: string) => {
    const entry = join(folder, `${randomUUID()}.py`);
    await writeFile(entry, text);
    return entry;
  };
  const scene: WarmScene = {
    folder,
    fifos,
    env,
    python: (options = {}) => ({
      language: 'python',
      options: [],
      entry: '',
      preload: [],
      file: pythonFile,
      ...options,
      env: { ...env, [runCookie]: '00000000-0000-0000-0000-000000000000', ...options.env },
    }),
    async order(text, { args = [] } = {}) {
      const entry = await write(text);
      return { run_id: randomUUID(), file: pythonFile, options: [], entry, args, cwd: folder };
    },
    async run(text, options = {}) {
      const entry = await write(text);
      const runId = randomUUID();
      return {
        runId,
        file: pythonFile,
        args: [entry],
        isVerbatim: false,
        cwd: folder,
        runFolder: folder,
        timeoutMs: null,
        stopGraceMs: 1000,
        outputLogBytes: 1_000_000,
        survivors: 'keep',
        warm: { language: 'python', options: [], entry, preload: [] },
        ...options,
        env: { ...env, ...options.env, [runCookie]: runId },
      };
    },
    processes,
    async noneLeft() {
      await until('no interpreter is left', async () => (await processes()).length === 0, 20_000);
    },
    names: () =>
      readdirSync(pipes).filter((name) => [...taken].some((path) => isOf(join(pipes, name), path))),
    handles: () => openHandles() - idle.size,
  };
  return scene;
}

/** All that an interpreter writes until it has ended, and how it did. Its streams are given back by then. */
export async function seeThrough(interpreter: WarmInterpreter): Promise<{
  code: number | null;
  signal: NodeJS.Signals | null;
  isUnseen?: boolean;
  stdout: string;
  stderr: string;
}> {
  const { code, signal, isUnseen } = await interpreter.exited;
  const stdout = readAll(interpreter.stdout);
  const stderr = readAll(interpreter.stderr);
  return { code, signal, ...(isUnseen && { isUnseen }), stdout, stderr };
}

/** How many file handles of this process are open. */
export function openHandles(): number {
  return readdirSync('/proc/self/fd').length;
}

/** The process that made this one. */
export function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function isOf(name: string, path: string): boolean {
  return name === path || name.startsWith(`${path}-`);
}

/** What is in a pipe, which is given back if it is read to its end with that. */
export function readAll({ readFd, giveBack, giveUp }: OutputPipe): string {
  const chunk = Buffer.alloc(65_536);
  let text = '';
  try {
    for (let bytes = readSync(readFd, chunk); bytes > 0; bytes = readSync(readFd, chunk))
      text += chunk.toString('utf8', 0, bytes);
    giveBack();
  } catch {
    // Somebody else still holds the other end.
    giveUp();
    closeSync(readFd);
  }
  return text;
}
