/** Where runs are forgotten. Stated here, implemented in `storage/`. */
export interface RunRemoval {
  /**
   * Removes the records of these runs with all that can be searched of them and the events and notifications that told of them, and returns those that
   * were there and had ended: one without an end stays. How many there were on which day stays known, and so do the keys they were asked for with.
   */
  forgetRuns(runIds: readonly string[]): string[];
}
