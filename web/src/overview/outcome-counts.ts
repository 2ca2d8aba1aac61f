import type { Stats } from '../api/wire.ts';
import type { Ended } from '../parts/words-of-runs.ts';

/** Outcomes of runs, from the bottom of a column to its top. */
export const outcomes: readonly Ended[] = ['succeeded', 'failed', 'stopped', 'unknown'];

/** Counts runs by outcome. Cancelled runs and runs that stopped with Hob are not failures of the script. */
export function countsOf({
  succeeded,
  failed,
  unknown,
  end_causes,
}: Pick<Stats['all'], (Ended & keyof Stats['all']) | 'end_causes'>): Readonly<Record<Ended, number>> {
  const stopped = (end_causes.cancelled ?? 0) + (end_causes.shutdown ?? 0);
  return { succeeded, failed: failed - stopped, stopped, unknown };
}

/** The number of runs that rates are based on: all but the stopped ones. */
export function judgedOf({ succeeded, failed, unknown }: Readonly<Record<Ended, number>>): number {
  return succeeded + failed + unknown;
}
