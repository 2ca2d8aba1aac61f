/** A hash that is updated while the bytes of a file arrive. */
export interface RunningHash {
  /** The caller must not change the bytes until the promise settles, but may call `update` again before that. */
  update(bytes: Uint8Array): Promise<void>;
  /** Whether the bytes have the announced hash. Call once, after the last byte. */
  isRight(): Promise<boolean>;
}
