import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Hob, launchHob } from '../support/hob.ts';
import { traceProcesses } from '../support/processes.ts';
import { type Observation, observe } from './observe.ts';
import { type Program, writeProgram } from './programs.ts';
import { allWait, mustBeWarm, readWarmth, runCounted } from './warmth.ts';

/** A service with each program as two scripts: one always starts cold, the other may be warm. */
export interface Stage {
  readonly hob: Hob;
  /** Whether the service has warm interpreters at all. */
  readonly isWarm: boolean;
  /** The effects of a program's cold run. */
  cold(program: Program): Observation;
  /** Runs a program in a warm interpreter, or cold if the program requires that. Fails if the start was of the other kind. */
  runWarm(program: Program): Promise<Observation>;
  close(): Promise<void>;
}

/** As many runs at once as a small machine can use. */
const runsAtOnce = 4;

/** Enough memory that no interpreter is evicted. Each set of environment variables has its own interpreters. */
const settings = mustBeWarm ? 'warm_memory_mb = 4096\n' : '';

const places = ['cold', 'warm', 'idle'] as const;
type Place = (typeof places)[number];

export async function openStage(programs: readonly Program[]): Promise<Stage> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'hob-test-')));
  const ids = new Map<string, string>();
  for (const program of programs) {
    for (const place of places) {
      const folder = join(base, place, program.name);
      const id = randomUUID();
      ids.set(folder, id);
      const written = place === 'idle' ? idleLike(program) : program;
      await writeProgram(folder, written, { id, isWarm: place !== 'cold' });
    }
  }
  const home = join(base, 'home');
  await mkdir(home);
  const trace = traceProcesses();
  const scripts = places.map((place) => join(base, place));
  const hob = await launchHob({ home, settings, env: trace.env, scripts });
  const look = (place: Place, program: Program) => {
    const folder = join(base, place, program.name);
    return observe(hob, ids.get(folder) ?? '', folder, place === 'idle' ? null : program.awaits);
  };
  const cold = await observeAll(programs, (program) => look('cold', program));

  const prepared = new Set<string>();
  /** Starts interpreters for programs of this kind. The first run of a kind triggers that. */
  const prepare = async (program: Program) => {
    const kind = JSON.stringify([program.language, program.env, program.runtime]);
    for (let attempt = 0; !prepared.has(kind); attempt++) {
      if (attempt === 20) throw new Error(`no warm interpreter ever waited for ${program.name}`);
      const { wasWarm } = await runCounted(hob, () => look('idle', program));
      if (wasWarm) prepared.add(kind);
      else await allWait(hob);
    }
  };

  const runWarm = async (program: Program) => {
    const before = await readWarmth(hob);
    if (before === null || program.expect === 'either') return look('warm', program);
    if (program.expect === 'cold') {
      const observed = await look('warm', program);
      // The service counts runs in order. When it has counted the next run, it has counted this one too.
      await runCounted(hob, () => look('idle', program));
      const after = await readWarmth(hob);
      if (after?.hits !== before.hits) throw new Error(`${program.name} was started warm`);
      return observed;
    }
    await prepare(program);
    await allWait(hob);
    const { wasWarm, result } = await runCounted(hob, () => look('warm', program));
    if (!wasWarm) throw new Error(`${program.name} was started cold`);
    return result;
  };

  return {
    hob,
    isWarm: (await readWarmth(hob)) !== null,
    cold(program) {
      const observed = cold.get(program.name);
      if (observed?.status !== 'fulfilled')
        throw new Error(`${program.name} could not be observed`, { cause: observed?.reason });
      return observed.value;
    },
    runWarm,
    async close() {
      await hob.stop();
      await trace.noneLeft();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function observeAll(
  programs: readonly Program[],
  look: (program: Program) => Promise<Observation>,
): Promise<Map<string, PromiseSettledResult<Observation>>> {
  const observed = new Map<string, PromiseSettledResult<Observation>>();
  const left = [...programs];
  const workers = Array.from({ length: runsAtOnce }, async () => {
    for (let program = left.pop(); program !== undefined; program = left.pop())
      for (const result of await Promise.allSettled([look(program)])) observed.set(program.name, result);
  });
  await Promise.all(workers);
  return observed;
}

/**
 * A program that does nothing, for the same kind of interpreter. If no interpreter waits for the given program, it has a kind of
 * its own, and its first run is a miss.
 */
function idleLike(program: Program): Program {
  const entry = { python: 'main.py', typescript: 'main.ts' }[program.language] ?? 'main.cjs';
  const env = program.expect === 'cold' ? { FIRST_OF: program.name } : program.env;
  return { ...program, env, entry, links: {}, files: new Map([[entry, Buffer.alloc(0)]]) };
}
