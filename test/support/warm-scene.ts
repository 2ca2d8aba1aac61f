import { randomUUID } from 'node:crypto';
import { closeSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { type RunSpec, runCookie } from '../../src/execution/messages.ts';
import { NativeProcesses } from '../../src/executor/native/processes.ts';
import type { Order, WarmInterpreter } from '../../src/executor/warm/fork-server.ts';
import type { InterpreterSpec } from '../../src/executor/warm/host-command.ts';
import { tempFolder } from './hob.ts';
import { findProgram, testPath } from './needs.ts';
import { killEach, processesWith } from './processes.ts';
import { until } from './until.ts';

export const programs = {
  python: fileURLToPath(new URL('../../src/executor/warm/python/start', import.meta.url)),
  'node.js': fileURLToPath(new URL('../../dist/executor/warm/node-host.cjs', import.meta.url)),
};

export const pythonFile = findProgram('python3') ?? 'python3';

/** The folder and environment that warm interpreters need, and their processes. */
export interface WarmScene {
  readonly folder: string;
  readonly processes: NativeProcesses;
  /** An environment that identifies every process of the test. */
  readonly env: Record<string, string>;
  /** A Python interpreter with that environment. */
  python(options?: Partial<InterpreterSpec>): InterpreterSpec;
  /** An order to run this program text, which is written to a file. */
  order(text: string, options?: { args?: string[] }): Promise<Order>;
  /** The same as the executor receives it. */
  run(text: string, options?: Partial<RunSpec>): Promise<RunSpec>;
  pids(): Promise<number[]>;
  /** Waits until all processes have exited. */
  noneLeft(): Promise<void>;
}

export async function openWarmScene(): Promise<WarmScene> {
  const folder = await tempFolder();
  const processes = loadProcesses();
  const id = randomUUID();
  const env = { PATH: testPath, TEST_TRACE: id, PYTHONUTF8: '1' };
  const pids = () => processesWith(`TEST_TRACE=${id}`);
  onTestFinished(async () => killEach(await pids()));
  const write = async (text: string) => {
    const entry = join(folder, `${randomUUID()}.py`);
    await writeFile(entry, text);
    return entry;
  };
  const scene: WarmScene = {
    folder,
    processes,
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
    pids,
    async noneLeft() {
      await until('no interpreter is left', async () => (await pids()).length === 0, 20_000);
    },
  };
  return scene;
}

/** The processes of a test, which end with it. */
export function loadProcesses(): NativeProcesses {
  const processes = NativeProcesses.load();
  if (processes === null) throw new Error('koffi cannot be loaded');
  onTestFinished(() => processes.close());
  return processes;
}

/** Collects the output of an interpreter until it exits, and its exit code. Closes its pipes. */
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

/** How many file handles this process has open. */
export function openHandles(): number {
  return readdirSync('/proc/self/fd').length;
}

/** The parent of a process. */
export function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Reads everything in a pipe, and closes it. */
export function readAll(fd: number): string {
  const chunk = Buffer.alloc(65_536);
  let text = '';
  try {
    for (let bytes = readSync(fd, chunk); bytes > 0; bytes = readSync(fd, chunk))
      text += chunk.toString('utf8', 0, bytes);
  } catch {
    // Another process still holds the other end.
  }
  closeSync(fd);
  return text;
}
