import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Hob, launchHob } from '../support/hob.ts';
import { traceProcesses } from '../support/processes.ts';
import { type Observation, observe } from './observe.ts';
import { type Program, writeProgram } from './programs.ts';
import { allWait, mustBeWarm, readWarmth, runCounted } from './warmth.ts';

/** A service with every program as two scripts: one that is always started cold, and one that may be warm. */
export interface Stage {
  readonly hob: Hob;
  /** Whether it has warm interpreters at all. */
  readonly isWarm: boolean;
  /** What a program did when it was started cold. */
  cold(program: Program): Observation;
  /** Runs a program by a warm interpreter, or without if it must be, and fails when that was not so. */
  runWarm(program: Program): Promise<Observation>;
  close(): Promise<void>;
}

/** As many at once as a small machine has use for. */
const runsAtOnce = 4;

/** So much that no interpreter is ended for want of room: each set of variables has interpreters of its own. */
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
  /** Has interpreters started for programs of this kind: the first run of a kind is what makes them start. */
  const prepare = async (program: Program) => {
    const kind = JSON.stringify([program.language, program.env, program.runtime]);
    for (let attempt = 0; !prepared.has(kind); attempt++) {
      if (attempt === 20) throw new Error(`no interpreter ever waited for ${program.name}`);
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
      // The service hears of runs in their order: when it knows of the next one, it would know of this one.
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
 * A program that does nothing, for which the same interpreters wait. For one that no interpreter waits for it is of a kind of
 * its own: the first of its kind, which is a miss.
 */
function idleLike(program: Program): Program {
  const entry = { python: 'main.py', typescript: 'main.ts' }[program.language] ?? 'main.cjs';
  const env = program.expect === 'cold' ? { FIRST_OF: program.name } : program.env;
  return { ...program, env, entry, links: {}, files: new Map([[entry, Buffer.alloc(0)]]) };
}
