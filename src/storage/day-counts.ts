import type { Counts } from '../runs/history/history-store.ts';
import { type Row, toOutcomeCount } from './run-rows.ts';

type Outcome = [state: string, endCause: string, runs: number];
type Duration = [bucket: number, runs: number, totalMs: number];

/**
 * The counts of one script on one day, stored in one row: separate rows for each bucket of a year would be slow to
 * read.
 */
export interface DayCount {
  readonly outcomes: Outcome[];
  readonly durations: Duration[];
}

export function readDayCount(row: Row | undefined): DayCount {
  if (row === undefined) return { outcomes: [], durations: [] };
  return { outcomes: JSON.parse(String(row.outcomes)), durations: JSON.parse(String(row.durations)) };
}

export function countOutcome({ outcomes }: DayCount, state: string, endCause: string): void {
  const known = outcomes.find((outcome) => outcome[0] === state && outcome[1] === endCause);
  if (known === undefined) outcomes.push([state, endCause, 1]);
  else known[2]++;
}

export function countDuration({ durations }: DayCount, bucket: number, durationMs: number): void {
  const known = durations.find((duration) => duration[0] === bucket);
  if (known === undefined) {
    durations.push([bucket, 1, durationMs]);
  } else {
    known[1]++;
    known[2] += durationMs;
  }
}

/** Counts of many days and scripts, added up by day or by script. */
export class CountSums {
  readonly #sums = new Map<string, { outcomes: Map<string, Outcome>; durations: Map<number, Duration> }>();

  add(of: string, { outcomes, durations }: DayCount): void {
    let sum = this.#sums.get(of);
    if (sum === undefined) {
      sum = { outcomes: new Map(), durations: new Map() };
      this.#sums.set(of, sum);
    }
    for (const [state, endCause, runs] of outcomes) {
      const key = `${state} ${endCause}`;
      const known = sum.outcomes.get(key);
      if (known === undefined) sum.outcomes.set(key, [state, endCause, runs]);
      else known[2] += runs;
    }
    for (const [bucket, runs, totalMs] of durations) {
      const known = sum.durations.get(bucket);
      if (known === undefined) {
        sum.durations.set(bucket, [bucket, runs, totalMs]);
      } else {
        known[1] += runs;
        known[2] += totalMs;
      }
    }
  }

  get counts(): Counts {
    const all = [...this.#sums];
    return {
      outcomes: all.flatMap(([of, { outcomes }]) =>
        [...outcomes.values()].map(([state, endCause, runs]) => toOutcomeCount(of, state, endCause, runs)),
      ),
      durations: all.flatMap(([of, { durations }]) =>
        [...durations.values()].map(([bucket, runs, totalMs]) => ({ of, bucket, runs, totalMs })),
      ),
    };
  }
}
