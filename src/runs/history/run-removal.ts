/** The removal of run records. The interface is declared here and implemented in `storage/`. */
export interface RunRemoval {
  /**
   * Removes the records of these runs, their entries in the search index, their events and their notifications. Returns
   * the removed runs. Runs without an end stay. The counts by day and the idempotency keys of the runs are kept.
   */
  forgetRuns(runIds: readonly string[]): string[];
}
