import type { Stats } from '../api/wire.ts';

/** How runs end, from the bottom of a column to its top. */
export const outcomes = ['succeeded', 'failed', 'stopped', 'unknown'] as const;
export type Ended = (typeof outcomes)[number];

/** How many ended how. What somebody stopped, or what went down with Hob, says nothing about the script: it is no failure of it. */
export function countsOf({
  succeeded,
  failed,
  unknown,
  end_causes,
}: Pick<Stats['all'], (Ended & keyof Stats['all']) | 'end_causes'>): Readonly<Record<Ended, number>> {
  const stopped = (end_causes.cancelled ?? 0) + (end_causes.shutdown ?? 0);
  return { succeeded, failed: failed - stopped, stopped, unknown };
}

/** Of how many it can be said how they went: a rate is one of these. */
export function judgedOf({ succeeded, failed, unknown }: Readonly<Record<Ended, number>>): number {
  return succeeded + failed + unknown;
}
