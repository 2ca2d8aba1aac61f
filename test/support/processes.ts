import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

import { onTestFinished } from 'vitest';

import { type Hob, launchHob, type StartOptions, tempFolder } from './hob.ts';
import { goneMs, until } from './until.ts';

/**
 * The processes that were started with a variable in their environment: the whole of it, or its beginning. The dead who wait
 * to be buried have none any more, and so do not count.
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

/** The most memory that a process ever had, in MiB. */
export async function peakMemoryMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

export function killEach(pids: readonly number[]): void {
  // Zero would mean everybody here, this process included.
  for (const pid of pids.filter((each) => each > 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** Everything that a test starts, told from the processes of all other tests by a variable of its own. */
export interface Trace {
  /** For the environment of the service: the executor and the scripts inherit it. */
  readonly env: Record<string, string>;
  /** Processes of scripts, whichever run they belong to. */
  scripts(): Promise<number[]>;
  /** Fails when anything is left, and ends it. */
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
    async noneLeft() {
      const isEmpty = async () => (await processesWith(variable)).length === 0;
      try {
        await until('every process of the test is gone', isEmpty, goneMs);
      } catch (error) {
        const left = await processesWith(variable);
        const commands = await Promise.all(left.map(commandOf));
        killEach(left);
        throw new Error(`left: ${commands.join('; ')}`, { cause: error });
      }
    },
  };
}

/** A service of which nothing may be left when the test ends: neither itself, nor its executor, nor any script. */
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
