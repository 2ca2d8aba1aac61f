import type { Hob } from '../support/hob.ts';
import { until } from '../support/until.ts';

/** Whether a service without warm interpreters is a failure. */
export const mustBeWarm = true;

/** What a service says of its warm interpreters. */
export interface Warmth {
  readonly hits: number;
  readonly misses: number;
  readonly interpreters: readonly { readonly language: string; readonly waiting: number }[];
}

/** Null: this service knows of none. */
export async function readWarmth(hob: Hob): Promise<Warmth | null> {
  const { body } = await hob.get('/api/health');
  if (body.warm !== undefined) return warmthOf(Object(body.warm));
  if (mustBeWarm) throw new Error('the service says nothing of warm interpreters');
  return null;
}

function warmthOf({ hits, misses, interpreters }: Record<string, unknown>): Warmth {
  if (typeof hits !== 'number' || typeof misses !== 'number' || !Array.isArray(interpreters))
    throw new Error('the service says something else of warm interpreters than it should');
  return {
    hits,
    misses,
    interpreters: interpreters.map((each: Record<string, unknown>) => ({
      language: String(each.language),
      waiting: Number(each.waiting),
    })),
  };
}

/**
 * Runs something that may be given to a warm interpreter, and says whether it was. The service hears of it a moment later, so
 * it is asked until either number has gone up. Nothing else may be run meanwhile.
 */
export async function runCounted<Result>(
  hob: Hob,
  run: () => Promise<Result>,
): Promise<{ wasWarm: boolean; result: Result }> {
  const before = await readWarmth(hob);
  const result = await run();
  const after = await until('the run is counted as a hit or a miss', async () => {
    const now = await readWarmth(hob);
    return now !== null && runsOf(now) > runsOf(before) ? now : false;
  });
  if (runsOf(after) !== runsOf(before) + 1) throw new Error('more than one run was counted');
  return { wasWarm: after.hits !== before?.hits, result };
}

function runsOf(warmth: Warmth | null): number {
  return warmth === null ? 0 : warmth.hits + warmth.misses;
}

/** Waits until an interpreter of every kind that there is waits for a run. */
export async function allWait(hob: Hob): Promise<Warmth> {
  return until('an interpreter of each kind waits', async () => {
    const now = await readWarmth(hob);
    if (now === null || now.interpreters.length === 0) return false;
    return now.interpreters.every(({ waiting }) => waiting > 0) ? now : false;
  });
}
