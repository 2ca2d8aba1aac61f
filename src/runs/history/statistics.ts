import type { EndCause } from '../../contract/values.ts';
import { type Durations, describeDurations } from './durations.ts';
import type { Counts, DayCounts } from './history-store.ts';

/** How some runs ended, and how long they took. */
export interface Tally {
  readonly runs: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly endCauses: Readonly<Partial<Record<EndCause, number>>>;
  /** Null if no run started. */
  readonly durations: Durations | null;
}

export interface Statistics {
  readonly all: Tally;
  /** The scripts with the most runs come first. */
  readonly scripts: readonly (Tally & { readonly scriptId: string; readonly scriptName: string })[];
  /** Every day of the span, including days without runs. */
  readonly days: readonly (Tally & { readonly day: string })[];
}

export function describeCounts({ scripts, days, names }: DayCounts, span: readonly string[]): Statistics {
  const byScript = [...grouped(scripts)].map(([scriptId, counts]) => ({
    scriptId,
    scriptName: names.get(scriptId) ?? scriptId,
    ...tally(counts),
  }));
  const byDay = grouped(days);
  return {
    all: tally(days),
    scripts: byScript.sort((a, b) => b.runs - a.runs || a.scriptName.localeCompare(b.scriptName)),
    days: span.map((day) => ({ day, ...tally(byDay.get(day) ?? nothing) })),
  };
}

const nothing: Counts = { outcomes: [], durations: [] };

function tally({ outcomes, durations }: Counts): Tally {
  const states = { succeeded: 0, failed: 0, unknown: 0, queued: 0, running: 0 };
  const endCauses: Partial<Record<EndCause, number>> = {};
  let runs = 0;
  for (const outcome of outcomes) {
    runs += outcome.runs;
    states[outcome.state] += outcome.runs;
    endCauses[outcome.endCause] = (endCauses[outcome.endCause] ?? 0) + outcome.runs;
  }
  const { succeeded, failed, unknown } = states;
  return { runs, succeeded, failed, unknown, endCauses, durations: describeDurations(durations) };
}

/** Groups the counts by script or by day. */
function grouped({ outcomes, durations }: Counts): Map<string, Counts> {
  const outcomesOf = groupBy(outcomes);
  const durationsOf = groupBy(durations);
  return new Map(
    [...outcomesOf].map(([of, some]) => [of, { outcomes: some, durations: durationsOf.get(of) ?? [] }]),
  );
}

function groupBy<Item extends { readonly of: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.of);
    if (group === undefined) groups.set(item.of, [item]);
    else group.push(item);
  }
  return groups;
}
