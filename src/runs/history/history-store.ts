import type { BriefRun, EndCause, Origin, RunState } from '../run-record.ts';
import type { DurationCount } from './durations.ts';

/** Where a page of a list ends; the next one begins behind it. */
export interface Cursor {
  readonly queuedAt: string;
  readonly seq: number;
}

/** Which runs are wanted; what is absent or null does not matter. The newest come first. */
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
  /** In the name of the script or the message, in upper or lower case. */
  readonly text: string | null;
  readonly after: Cursor | null;
  readonly limit: number;
}

export interface RunPage {
  readonly runs: readonly BriefRun[];
  /** Null when there are no more. */
  readonly next: Cursor | null;
}

/** One run in a tree of runs that started each other. */
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

/** A chain has no end by itself: a script may start itself again for ever. */
export interface FamilyBounds {
  /** So many, and those between the first one and the one that was asked for. */
  readonly members: number;
  /** So many generations above the one that was asked for, and so many below the first one. */
  readonly generations: number;
}

export interface Family {
  /** The oldest ancestor that is on record, then its descendants: a parent always comes before its children. */
  readonly members: readonly FamilyMember[];
  readonly isComplete: boolean;
}

/** How many runs of a script, or of a day, ended in some way. */
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

/** From one day to another, both of them included. */
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

/** The latest runs of which scripts are wanted, and how many of each at most. */
export interface OutcomeQuery {
  /** Null for all scripts that have runs on record. */
  readonly scriptIds: readonly string[] | null;
  readonly runsEach: number;
}

/** How the latest runs of a script went, the newest first; there is at least one. */
export interface ScriptOutcomes {
  readonly scriptId: string;
  /** As it was called then. */
  readonly scriptName: string;
  readonly runs: readonly Pick<BriefRun, 'runId' | 'state' | 'endCause' | 'queuedAt' | 'durationMs'>[];
}

/** What can be asked about all runs. Stated here, implemented in `storage/`. */
export interface HistoryStore {
  /** Looks through as many runs as it takes, and lets others have their turn while it does. */
  page(query: RunQuery, signal: AbortSignal): Promise<RunPage>;
  /** The whole chain of a run, within bounds; the run itself is always in it. Empty when there is no such run. */
  family(runId: string, bounds: FamilyBounds): Family;
  /** Lets others have their turn while it adds up. */
  counts(span: CountedSpan): Promise<DayCounts>;
  /** The script that ran last comes first. Lets others have their turn, too. */
  outcomes(query: OutcomeQuery): Promise<readonly ScriptOutcomes[]>;
  totals(): HistoryTotals;
}
