/** Large enough for little overhead, small enough to stay in the CPU cache until hashed. Four times this size is half as fast. */
export const batchBytes = 256 * 1024;

/**
 * A pool of buffers for downloads. Buffers are reused, because the garbage collector does not count shared memory: with new buffers
 * for each file, memory use would grow without limit.
 */
export class Batches {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(batchBytes));
  }

  /** Returns a batch to the pool. The caller must not use it afterwards. */
  giveBack(batch: Uint8Array): void {
    this.#free.push(batch);
  }
}
