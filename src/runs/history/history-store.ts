import type { EndCause, Origin, RunState } from '../../contract/values.ts';
import type { BriefRun } from '../run-record.ts';

interface DurationCount {
  readonly bucket: number;
  readonly runs: number;
  readonly totalMs: number;
}

interface Durations {
  readonly meanMs: number;
  /** Estimates: the mean of the bucket into which they fall. */
  readonly medianMs: number;
  readonly p95Ms: number;
}

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

interface Statistics {
  readonly all: Tally;
  /** The scripts with the most runs come first. */
  readonly scripts: readonly (Tally & { readonly scriptId: string; readonly scriptName: string })[];
  /** Every day of the span, including days without runs. */
  readonly days: readonly (Tally & { readonly day: string })[];
}

const nothing: Counts = { outcomes: [], durations: [] };

/** A run with all runs that it started. */
export interface RunTree {
  readonly run: FamilyMember;
  readonly children: readonly RunTree[];
}

/** The last run of a page; the next page begins after it. */
export interface Cursor {
  readonly queuedAt: string;
  readonly seq: number;
}

/** The filters of a list of runs. Null means no filter. The newest runs come first. */
export interface RunQuery {
  readonly scriptId: string | null;
  readonly parentRunId: string | null;
  readonly triggerId: string | null;
  readonly states: readonly RunState[] | null;
  readonly endCauses: readonly EndCause[] | null;
  readonly origins: readonly Origin[] | null;
  /** Queued at this time or later. */
  readonly since: string | null;
  /** Queued before this time. */
  readonly until: string | null;
  /** Part of the script's name or of the message. Case does not matter. */
  readonly text: string | null;
  readonly after: Cursor | null;
  readonly limit: number;
}

export interface RunPage {
  readonly runs: readonly BriefRun[];
  /** Null on the last page. */
  readonly next: Cursor | null;
}

/** A run in a tree of runs that started each other. */
export type FamilyMember = Pick<
  BriefRun,
  | 'runId'
  | 'scriptId'
  | 'scriptName'
  | 'origin'
  | 'parentRunId'
  | 'depth'
  | 'state'
  | 'endCause'
  | 'exitCode'
  | 'queuedAt'
  | 'startedAt'
  | 'endedAt'
  | 'durationMs'
>;

/** Limits for a chain, which can be endless: a script may start itself again and again. */
export interface FamilyBounds {
  /** The number of members, in addition to those between the first run and the requested one. */
  readonly members: number;
  /** The number of generations above the requested run, and below the first run. */
  readonly generations: number;
}

export interface Family {
  /** The oldest ancestor on record, then its descendants. A parent always comes before its children. */
  readonly members: readonly FamilyMember[];
  readonly isComplete: boolean;
}

/** How many runs of a script, or of a day, ended with a state and cause. */
export interface OutcomeCount {
  readonly of: string;
  readonly state: RunState;
  readonly endCause: EndCause;
  readonly runs: number;
}

export interface Counts {
  readonly outcomes: readonly OutcomeCount[];
  readonly durations: readonly (DurationCount & { readonly of: string })[];
}

/** A span of days, including both ends. */
export interface CountedSpan {
  readonly from: string;
  readonly to: string;
  /** Null for all scripts. */
  readonly scriptId: string | null;
}

/** The counts of a span of days. */
export interface DayCounts {
  readonly scripts: Counts;
  readonly days: Counts;
  /** The latest name of each script. */
  readonly names: ReadonlyMap<string, string>;
}

export interface HistoryTotals {
  readonly runs: number;
  readonly bytes: number;
}

/** Selects the latest runs of scripts, and the maximum number of runs of each. */
export interface OutcomeQuery {
  /** Null for all scripts that have runs on record. */
  readonly scriptIds: readonly string[] | null;
  readonly runsEach: number;
}

/** The outcomes of the latest runs of a script, newest first. There is at least one run. */
export interface ScriptOutcomes {
  readonly scriptId: string;
  /** The name of the script at the time of the run. */
  readonly scriptName: string;
  readonly runs: readonly Pick<BriefRun, 'runId' | 'state' | 'endCause' | 'queuedAt' | 'durationMs'>[];
}

/** The queries about all runs. The interface is declared here and implemented in `storage/`. */
export interface HistoryStore {
  /** Searches as many runs as necessary, and yields to other work meanwhile. */
  page(query: RunQuery, signal: AbortSignal): Promise<RunPage>;
  /** The whole chain of a run, within bounds. It always contains the run itself. Empty if there is no such run. */
  family(runId: string, bounds: FamilyBounds): Family;
  /** Yields to other work while it adds up the counts. */
  counts(span: CountedSpan): Promise<DayCounts>;
  /** The script that ran last comes first. Yields to other work too. */
  outcomes(query: OutcomeQuery): Promise<readonly ScriptOutcomes[]>;
  totals(): HistoryTotals;
}

/** Builds a tree from members. The first is the root, and each comes after its parent. Null if there are no members. */
export function growTree(members: readonly FamilyMember[]): RunTree | null {
  const [root] = members;
  if (root === undefined) return null;
  const childrenOf = new Map<string, RunTree[]>();
  const nodes = members.map((run) => {
    const children: RunTree[] = [];
    childrenOf.set(run.runId, children);
    return { run, children };
  });
  for (const node of nodes.slice(1)) childrenOf.get(node.run.parentRunId ?? '')?.push(node);
  return nodes[0] ?? null;
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

/** Null if there are no counts. */
function describeDurations(counts: readonly DurationCount[]): Durations | null {
  const runs = counts.reduce((sum, count) => sum + count.runs, 0);
  if (runs === 0) return null;
  const totalMs = counts.reduce((sum, count) => sum + count.totalMs, 0);
  const sorted = [...counts].sort((a, b) => a.bucket - b.bucket);
  return {
    meanMs: Math.round(totalMs / runs),
    medianMs: percentile(sorted, runs / 2),
    p95Ms: percentile(sorted, runs * 0.95),
  };
}

function percentile(sorted: readonly DurationCount[], rank: number): number {
  let seen = 0;
  for (const { runs, totalMs } of sorted) {
    seen += runs;
    // The mean of a bucket lies inside the bucket, and is exact if all its durations are equal.
    if (seen >= rank) return Math.round(totalMs / runs);
  }
  return 0;
}
