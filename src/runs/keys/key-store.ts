/** What is kept of a request that has a key. Neither the key nor the body can be had back from it. */
export interface KeyUse {
  /** In lower case. */
  readonly scriptId: string;
  readonly keyHash: string;
  /** Made with the key itself: whoever has not got the key cannot try out which body it was for. */
  readonly bodyMac: string;
}

export interface KeyOwner {
  readonly runId: string;
  readonly bodyMac: string;
}

/**
 * Where keys are kept. Stated here, implemented in `storage/`. Times are texts that sort by time. A key is never too old while its
 * run has no end: whoever asks again must not start another beside it.
 */
export interface KeyStore {
  /** The run that a key was used for, unless that was before `since` and the run has ended. */
  find(use: Pick<KeyUse, 'scriptId' | 'keyHash'>, since: string): KeyOwner | null;
  /** To be called together with the insertion of the run. What was kept of the same key goes, and so do some that are older than `since`. */
  put(use: KeyUse, owner: { runId: string; usedAt: string; since: string }): void;
  /** Whether a run has a key by which its caller can come back to it. */
  isHeld(runId: string): boolean;
  /** The run was never started: whoever comes with its key again is to have one that is. */
  release(runId: string): void;
}
