import type { Hob } from '../support/hob.ts';
import { until } from '../support/until.ts';

/** Whether a service without warm interpreters fails the tests. */
export const mustBeWarm = true;

/** The statistics of warm interpreters that a service reports. */
export interface Warmth {
  readonly hits: number;
  readonly misses: number;
  readonly interpreters: readonly { readonly language: string; readonly waiting: number }[];
}

/** Null if this service reports none. */
export async function readWarmth(hob: Hob): Promise<Warmth | null> {
  const { body } = await hob.get('/api/health');
  if (body.warm !== undefined) return warmthOf(Object(body.warm));
  if (mustBeWarm) throw new Error('the service reports no warm interpreters');
  return null;
}

function warmthOf({ hits, misses, interpreters }: Record<string, unknown>): Warmth {
  if (typeof hits !== 'number' || typeof misses !== 'number' || !Array.isArray(interpreters))
    throw new Error('the report of warm interpreters has an unexpected form');
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
 * Runs something in a warm interpreter if there is one, and returns whether it was warm. The service counts the run later, so
 * this polls until one of the counters increases. No other run may start at the same time.
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

/** Waits until every kind of interpreter has one that waits for a run. */
export async function allWait(hob: Hob): Promise<Warmth> {
  return until('an interpreter of each kind waits', async () => {
    const now = await readWarmth(hob);
    if (now === null || now.interpreters.length === 0) return false;
    return now.interpreters.every(({ waiting }) => waiting > 0) ? now : false;
  });
}
