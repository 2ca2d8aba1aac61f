/** Limits of the history; null means no limit. */
export interface RetentionLimits {
  /** Runs that ended earlier are removed. */
  readonly endedBefore: string | null;
  /** Limit for ended runs. */
  readonly runs: number | null;
  readonly bytes: number | null;
}

/** Disk space of the folder of a run, without its record. */
export interface FolderSize {
  readonly runId: string;
  readonly folderBytes: number;
}

/** The storage operations that limit the history. The interface is declared here and implemented in `storage/`. */
export interface RetentionStore {
  /** Ended runs whose size is not recorded yet, oldest first. */
  untended(most: number): string[];
  /** Records the sizes of ended runs, and adds their texts to the search index. */
  tend(sizes: readonly FolderSize[]): void;
  /** Performs a small step of the cleanup after runs were added and removed. Returns whether more steps may be needed. */
  tidy(): boolean;
  /**
   * Ended runs over a limit: first those that are too old, otherwise those that were queued first. Returns at most
   * `most` runs, and fewer if their records are large.
   */
  expired(limits: RetentionLimits, most: number): string[];
  /** Removes the counts of days before this one. */
  forgetDays(before: string): void;
}

/** The removal of run records. The interface is declared here and implemented in `storage/`. */
export interface RunRemoval {
  /**
   * Removes the records of these runs, their entries in the search index, their events and their notifications. Returns
   * the removed runs. Runs without an end stay. The counts by day and the idempotency keys of the runs are kept.
   */
  forgetRuns(runIds: readonly string[]): string[];
}
