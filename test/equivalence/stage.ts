import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Hob, launchHob } from '../support/hob.ts';
import { traceProcesses } from '../support/processes.ts';
import { type Observation, observe } from './observe.ts';
import { type Program, writeProgram } from './programs.ts';
import { allWait, isHit, mustBeWarm, readWarmth } from './warmth.ts';

/** A service with every program as two scripts: one that is always started cold, and one that may be warm. */
export interface Stage {
  readonly hob: Hob;
  /** What each program does when it is started cold. */
  readonly cold: ReadonlyMap<string, Observation>;
  /** Runs a program by a warm interpreter, if it is to be, and fails when it was not. */
  runWarm(program: Program): Promise<Observation>;
  close(): Promise<void>;
}

/** As many at once as a small machine has use for. */
const runsAtOnce = 4;

/** So much that no interpreter is ended for want of room: each set of variables has interpreters of its own. */
const settings = mustBeWarm ? 'warm_memory_mb = 4096\n' : '';

export async function openStage(programs: readonly Program[]): Promise<Stage> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'hob-test-')));
  const ids = new Map<string, string>();
  const write = async (place: string, program: Program, isWarm: boolean) => {
    const id = randomUUID();
    const folder = join(base, place, program.name);
    ids.set(folder, id);
    await writeProgram(folder, program, { id, isWarm });
  };
  for (const program of programs) {
    await write('cold', program, false);
    await write('warm', program, true);
    await write('idle', idleLike(program), true);
  }
  const home = join(base, 'home');
  await mkdir(home);
  const trace = traceProcesses();
  const hob = await launchHob({
    home,
    settings,
    env: trace.env,
    scripts: ['cold', 'warm', 'idle'].map((place) => join(base, place)),
  });
  const look = (place: string, program: Program) => {
    const folder = join(base, place, program.name);
    return observe(hob, ids.get(folder) ?? '', folder);
  };

  const prepared = new Set<string>();
  /** Has interpreters started for programs of this kind: the first run of a kind is what makes them start. */
  const prepare = async (program: Program) => {
    const kind = kindOf(program);
    for (let attempt = 0; !prepared.has(kind); attempt++) {
      if (attempt === 20) throw new Error(`no interpreter ever waited for ${program.name}`);
      const before = await readWarmth(hob);
      if (before === null) return;
      if (await isHit(hob, before, () => look('idle', program))) prepared.add(kind);
      else await allWait(hob);
    }
  };

  return {
    hob,
    cold: await observeAll(programs, (program) => look('cold', program)),
    async runWarm(program) {
      if ((await readWarmth(hob)) === null || program.expect === 'either') return look('warm', program);
      if (program.expect === 'cold') return runUncounted(hob, () => look('warm', program));
      await prepare(program);
      let seen: Observation | undefined;
      const run = async () => {
        seen = await look('warm', program);
      };
      const wasWarm = await isHit(hob, await allWait(hob), run);
      if (!wasWarm || seen === undefined) throw new Error(`${program.name} was started cold`);
      return seen;
    },
    async close() {
      await hob.stop();
      await trace.noneLeft();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Nothing is counted a moment after a run that is none of the warm interpreters' business: neither a hit nor a miss. */
async function runUncounted(hob: Hob, run: () => Promise<Observation>): Promise<Observation> {
  const before = await readWarmth(hob);
  const seen = await run();
  const after = await readWarmth(hob);
  if (after?.hits !== before?.hits) throw new Error('it was started warm');
  return seen;
}

async function observeAll(
  programs: readonly Program[],
  look: (program: Program) => Promise<Observation>,
): Promise<Map<string, Observation>> {
  const seen = new Map<string, Observation>();
  const left = [...programs];
  const workers = Array.from({ length: runsAtOnce }, async () => {
    for (let program = left.pop(); program !== undefined; program = left.pop())
      seen.set(program.name, await look(program));
  });
  await Promise.all(workers);
  return seen;
}

/** Programs for which the same interpreters can wait. */
function kindOf({ language, env, runtime }: Program): string {
  return JSON.stringify([language, env, runtime]);
}

/** A program that does nothing, for which the same interpreters wait. */
function idleLike(program: Program): Program {
  const extension = { python: 'py', typescript: 'ts' }[program.language] ?? 'cjs';
  const entry = `main.${extension}`;
  return { ...program, entry, links: {}, files: new Map([[entry, Buffer.alloc(0)]]) };
}
