import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Answer, executorPid, type Hob, launchHob } from './hob.ts';
import { type Trace, traceProcesses } from './processes.ts';
import { type ScriptOptions, writeScript } from './scripts.ts';
import { until } from './until.ts';
import { parentOf } from './warm-scene.ts';

export interface Interpreters {
  readonly language: string;
  readonly path: string;
  readonly preload: readonly string[];
  readonly forked: boolean;
  readonly waiting: number;
  readonly memory_bytes: number;
}

/** The statistics of warm interpreters that a service reports. */
export interface Warm {
  readonly hits: number;
  readonly misses: number;
  readonly memory_bytes: number;
  readonly budget_bytes: number;
  readonly short_of_memory: boolean;
  readonly interpreters: readonly Interpreters[];
}

export async function warmOf(hob: Hob): Promise<Warm> {
  const answer = await fetch(`${hob.url}/api/health`);
  const { warm }: { warm: Warm } = JSON.parse(await answer.text());
  return warm;
}

/** Waits until this many kinds of interpreters each have at least one waiting, and none is starting. */
export async function untilWaiting(hob: Hob, kinds = 1): Promise<readonly Interpreters[]> {
  return until(`interpreters of ${kinds} kinds wait`, async () => {
    const { interpreters } = await warmOf(hob);
    const isSo = interpreters.length === kinds && interpreters.every(({ waiting }) => waiting > 0);
    return isSo && interpreters;
  });
}

/** Runs a script in a waiting interpreter, after as many cold runs as that takes. */
export async function runWarm(hob: Hob, id: string, rest: Record<string, unknown> = {}): Promise<Answer> {
  await makeWarm(hob, id, rest);
  const before = await warmOf(hob);
  const answer = await hob.run(id, rest);
  const after = await warmOf(hob);
  if (after.hits !== before.hits + 1) throw new Error('the run was cold');
  return answer;
}

/** Runs a script cold, so that interpreters for it start, and waits until they are ready. */
export async function makeWarm(hob: Hob, id: string, rest: Record<string, unknown> = {}): Promise<void> {
  await until('the script runs warm', async () => {
    const before = await warmOf(hob);
    await hob.run(id, rest);
    return (await warmOf(hob)).hits > before.hits;
  });
  await until('all kinds wait again', async () => {
    const { interpreters } = await warmOf(hob);
    return interpreters.length > 0 && interpreters.every(({ waiting }) => waiting > 0);
  });
}

/** The direct children of a process: of an executor, they include waiting interpreters and fork servers. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir('/proc')) {
    try {
      if (/^\d+$/.test(name) && parentOf(Number(name)) === pid) children.push(Number(name));
    } catch {
      // The process has exited.
    }
  }
  return children;
}

/** The fork server of a service, and its children that wait for a run. */
export async function forkServerOf(hob: Hob): Promise<{ server: number; waiting: number[] }> {
  return until('there is a fork server with children', async () => {
    for (const server of await childrenOf(await executorPid(hob.home))) {
      if (!(await commandOf(server)).includes('/hob-warm-python ')) continue;
      const waiting = await childrenOf(server);
      if (waiting.length > 0) return { server, waiting };
    }
    return false;
  });
}

async function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
}

/** A service for a whole test file. Tests add scripts to it. */
export interface WarmService {
  readonly hob: Hob;
  readonly trace: Trace;
  /** The folder of its scripts. */
  readonly scripts: string;
  /** Writes a script of this name, waits until the service knows it, and returns its id. */
  add(name: string, options: ScriptOptions): Promise<string>;
  /** Fails if any of its processes is left. */
  close(): Promise<void>;
}

export async function openWarmService(settings: string): Promise<WarmService> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'hob-test-')));
  const [home, scripts] = [join(base, 'home'), join(base, 'scripts')];
  await mkdir(home);
  await mkdir(scripts);
  const trace = traceProcesses();
  const hob = await launchHob({ home, scripts: [scripts], settings, env: trace.env });
  return {
    hob,
    trace,
    scripts,
    async add(name, options) {
      const id = await writeScript(scripts, name, options);
      await until('the script is known', async () => {
        const { scripts: known } = (await hob.get('/api/scripts')).body;
        return Array.isArray(known) && known.some((script) => script.id === id);
      });
      return id;
    },
    async close() {
      await hob.stop();
      await trace.noneLeft();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
