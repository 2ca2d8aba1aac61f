/** The stored form of a request with a key. Neither the key nor the body can be recovered from it. */
export interface KeyUse {
  /** In lower case. */
  readonly scriptId: string;
  readonly keyHash: string;
  /** Computed with the key: without it, guesses about the body cannot be tested. */
  readonly bodyMac: string;
}

export interface KeyOwner {
  readonly runId: string;
  readonly bodyMac: string;
}

/**
 * The storage of idempotency keys. The interface is declared here and implemented in `storage/`. Times are strings that
 * sort by time. A key does not expire while its run has no end, because a repeated request must not start a second run
 * beside it.
 */
export interface KeyStore {
  /** The run for which a key was used, unless it was used before `since` and the run has ended. */
  find(use: Pick<KeyUse, 'scriptId' | 'keyHash'>, since: string): KeyOwner | null;
  /**
   * Call it together with the insertion of the run. Replaces an entry of the same key, and removes some entries older
   * than `since`.
   */
  put(use: KeyUse, owner: { runId: string; usedAt: string; since: string }): void;
  /** Whether a run has a key with which its caller can find it again. */
  isHeld(runId: string): boolean;
  /** Removes the key of a run that was not started: a repeated request must start a new run. */
  release(runId: string): void;
}
