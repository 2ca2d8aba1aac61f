import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After so long without anything to do, nobody notices if we are busy for some ten milliseconds. */
const idleMs = 3000;
/** It is not worth it for less. */
const leastGrowthBytes = 6_000_000;

interface IdleCollectorOptions {
  heapBytes?: () => number;
  collect?: () => void;
}

/**
 * Gives memory back that was only needed while there was much to do. Node itself clears away what is not needed when it wants more,
 * which an idle process never does; and it gives nothing back before it has cleared away.
 */
export class IdleCollector {
  readonly #heapBytes: () => number;
  readonly #collect: () => void;
  readonly #timer: NodeJS.Timeout;
  #lastBytes: number;

  constructor({ heapBytes = heapSize, collect = makeCollect() }: IdleCollectorOptions = {}) {
    this.#heapBytes = heapBytes;
    this.#collect = collect;
    this.#lastBytes = heapBytes();
    this.#timer = setTimeout(() => this.#look(), idleMs).unref();
  }

  /** Something was done. */
  note(): void {
    this.#timer.refresh();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    if (this.#heapBytes() < this.#lastBytes + leastGrowthBytes) return;
    this.#collect();
    this.#lastBytes = this.#heapBytes();
  }
}

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}

/** There is no other way to it than by a flag, and by a context that is made after it was set. */
function makeCollect(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return () => {
    if (typeof collect === 'function') void collect({ type: 'major', execution: 'async' });
  };
}
