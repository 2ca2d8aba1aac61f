import type { Stats } from './types.ts';
import type { EndCause } from './values.ts';

/** How a run ended, as statistics count it. */
export type Ended = 'succeeded' | 'failed' | 'stopped' | 'unknown';

/** In the order of charts and tables. */
export const outcomes: readonly Ended[] = ['succeeded', 'failed', 'stopped', 'unknown'];

/** The state of these runs is `failed`, but the user or the end of the service stopped them, so they say nothing about the script. */
const stoppedCauses: readonly EndCause[] = ['cancelled', 'shutdown'];

/** Counts runs by outcome. Cancelled runs and runs that stopped with Hob are not failures of the script. */
export function countsOf({
  succeeded,
  failed,
  unknown,
  end_causes,
}: Pick<Stats['all'], (Ended & keyof Stats['all']) | 'end_causes'>): Readonly<Record<Ended, number>> {
  const stopped = stoppedCauses.reduce((sum, cause) => sum + (end_causes[cause] ?? 0), 0);
  return { succeeded, failed: failed - stopped, stopped, unknown };
}

/** The number of runs that rates are based on: all but the stopped ones. */
export function judgedOf({ succeeded, failed, unknown }: Readonly<Record<Ended, number>>): number {
  return succeeded + failed + unknown;
}
