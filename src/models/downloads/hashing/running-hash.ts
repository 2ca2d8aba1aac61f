/** The hash of a file whose bytes come one after the other. */
export interface RunningHash {
  /** The bytes may not change until it settles. Whoever has more need not wait for that. */
  update(bytes: Uint8Array): Promise<void>;
  /** Whether the bytes were the ones that were announced. To be asked once, at the end. */
  isRight(): Promise<boolean>;
}
