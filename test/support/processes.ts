import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

import { onTestFinished } from 'vitest';

import { type Hob, launchHob, type StartOptions, tempFolder } from './hob.ts';
import { goneMs, until } from './until.ts';

/**
 * The processes that were started with a given variable in their environment: the whole variable or its beginning. Zombies
 * have no environment, so they are not included.
 */
export async function processesWith(...variables: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environ = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const has = environ.split('\0');
    if (variables.every((wanted) => has.some((variable) => variable.startsWith(wanted))))
      found.push(Number(name));
  }
  return found;
}

/** The peak memory of a process, in MiB. */
export async function peakMemoryMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

export function killEach(pids: readonly number[]): void {
  // A signal to pid 0 would reach the whole process group, including this process.
  for (const pid of pids.filter((each) => each > 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}

/** All processes that a test starts. A unique environment variable distinguishes them from those of other tests. */
export interface Trace {
  /** Environment of the service. The executor and the scripts inherit it. */
  readonly env: Record<string, string>;
  /** Processes of scripts, of any run. */
  scripts(): Promise<number[]>;
  /** Kills the processes whose commands contain one of these words. */
  kill(words: readonly string[]): Promise<void>;
  /** Fails if any process is left, and kills it. */
  noneLeft(): Promise<void>;
}

async function commandOf(pid: number): Promise<string> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return `${pid} ${words.split('\0').join(' ').trim()}`;
}

export function traceProcesses(): Trace {
  const id = randomUUID();
  const variable = `TEST_TRACE=${id}`;
  return {
    env: { TEST_TRACE: id },
    scripts: () => processesWith(variable, 'HOB_RUN_ID='),
    async kill(words) {
      for (const pid of await processesWith(variable)) {
        const command = await commandOf(pid);
        if (words.some((word) => command.includes(word))) killEach([pid]);
      }
    },
    async noneLeft() {
      const isEmpty = async () => (await processesWith(variable)).length === 0;
      try {
        await until('every process of the test is gone', isEmpty, goneMs);
      } catch (error) {
        const left = await processesWith(variable);
        const commands = await Promise.all(left.map(commandOf));
        killEach(left);
        throw new Error(`still running: ${commands.join('; ')}`, { cause: error });
      }
    },
  };
}

/** Starts a service. When the test ends, neither the service, nor its executor, nor any script may be left. */
export async function startTraced(options: StartOptions = {}): Promise<{ hob: Hob; trace: Trace }> {
  const trace = traceProcesses();
  const home = options.home ?? (await tempFolder());
  const hob = await launchHob({ ...options, home, env: { ...options.env, ...trace.env } });
  onTestFinished(async () => {
    await hob.stop();
    await trace.noneLeft();
  });
  return { hob, trace };
}
