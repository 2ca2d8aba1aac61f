import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After so long without anything to do, nobody notices if we are busy for some ten milliseconds. */
const idleMs = 8000;
/** It is not worth it for less. */
const leastGrowthBytes = 6_000_000;

interface IdleCollectorOptions {
  heapBytes?: () => number;
  collect?: () => Promise<void>;
}

/**
 * Gives memory back that was only needed while there was much to do. Node itself clears away what is not needed when it wants more,
 * which an idle process never does; and it gives nothing back before it has cleared away.
 */
export class IdleCollector {
  readonly #heapBytes: () => number;
  readonly #collect: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #lastBytes: number;
  #isFirst = true;
  #isClosed = false;

  constructor({ heapBytes = heapSize, collect = makeCollect() }: IdleCollectorOptions = {}) {
    this.#heapBytes = heapBytes;
    this.#collect = collect;
    this.#lastBytes = heapBytes();
    this.#timer = setTimeout(() => void this.#look(), idleMs).unref();
  }

  /** Something was done. */
  note(): void {
    this.#timer.refresh();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isFirst && this.#heapBytes() < this.#lastBytes + leastGrowthBytes) return;
    await this.#collect();
    this.#lastBytes = this.#heapBytes();
    // What only the first time has found out not to be needed any more goes with the second.
    if (this.#isFirst && !this.#isClosed) this.#timer.refresh();
    this.#isFirst = !this.#isFirst;
  }
}

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}

/** There is no other way to it than by a flag, and by a context that is made after it was set. */
function makeCollect(): () => Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return async () => {
    if (typeof collect === 'function') await collect({ type: 'major', execution: 'async' });
  };
}
