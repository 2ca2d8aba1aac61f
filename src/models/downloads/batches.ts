/** Large enough to cost little, small enough to stay in a processor's cache until it is written and hashed: four times as much takes twice as long. */
export const batchBytes = 256 * 1024;

/**
 * Memory for what is being downloaded, used again and again: what several threads share is not counted as memory that could be collected,
 * so that whoever takes new memory for each file takes more and more of it.
 */
export class Batches {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(batchBytes));
  }

  /** Nobody may use it any longer. */
  giveBack(batch: Uint8Array): void {
    this.#free.push(batch);
  }
}
