/** What the history may take at most; null is no limit. */
export interface RetentionLimits {
  /** Runs that ended before are too old. */
  readonly endedBefore: string | null;
  /** Of those that have ended. */
  readonly runs: number | null;
  readonly bytes: number | null;
}

/** What a run takes on the disk beside its record. */
export interface FolderSize {
  readonly runId: string;
  readonly folderBytes: number;
}

/** What it takes to keep the history in bounds. Stated here, implemented in `storage/`. */
export interface RetentionStore {
  /** Ended runs whose size is not known yet, the oldest first. */
  untended(most: number): string[];
  /** Notes the sizes of ended runs, and makes their texts known to the search. */
  tend(sizes: readonly FolderSize[]): void;
  /** Tidies up what removing and adding runs leaves behind, a little. Returns whether there may be more to tidy. */
  tidy(): boolean;
  /**
   * Ended runs that are over a limit: those that are too old, or else those that were queued first. So many at most, and fewer when
   * their records are large.
   */
  expired(limits: RetentionLimits, most: number): string[];
  /** Forgets the counts of days before this one. */
  forgetDays(before: string): void;
}
