import type { EndCause, Origin, RunState } from '../../contract/values.ts';
import type { BriefRun } from '../run-record.ts';
import type { DurationCount } from './durations.ts';

/** The last run of a page; the next page begins after it. */
export interface Cursor {
  readonly queuedAt: string;
  readonly seq: number;
}

/** The filters of a list of runs. Null means no filter. The newest runs come first. */
export interface RunQuery {
  readonly scriptId: string | null;
  readonly parentRunId: string | null;
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
