interface Numbered {
  readonly seq: number;
}

/** Merges descending sequences, each given in slices, into one. Yields slices, which may be empty. */
export function* mergeDescending<Item extends Numbered>(
  ...sequences: readonly Iterator<readonly Item[]>[]
): Generator<readonly Item[]> {
  const sources = sequences.map((slices) => new Source(slices));
  for (;;) {
    for (const source of sources) {
      // Yields after each slice, because reading a slice may take a while.
      while (source.isEmpty && source.advance()) yield [];
    }
    const batch: Item[] = [];
    for (let next = largest(sources); next !== undefined; next = largest(sources)) {
      batch.push(...next.take());
      if (next.isEmpty && !next.isOver) break;
    }
    if (batch.length === 0) return;
    yield batch;
  }
}

class Source<Item extends Numbered> {
  readonly #slices: Iterator<readonly Item[]>;
  #slice: readonly Item[] = [];
  #at = 0;
  isOver = false;

  constructor(slices: Iterator<readonly Item[]>) {
    this.#slices = slices;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#slice.length;
  }

  get seq(): number {
    return this.#slice[this.#at]?.seq ?? Number.NEGATIVE_INFINITY;
  }

  /** False if there are no more slices. */
  advance(): boolean {
    const { value, done } = this.#slices.next();
    this.isOver = done === true;
    this.#slice = this.isOver ? [] : value;
    this.#at = 0;
    return !this.isOver;
  }

  take(): readonly Item[] {
    const taken = this.#slice.slice(this.#at, this.#at + 1);
    this.#at++;
    return taken;
  }
}

function largest<Item extends Numbered>(sources: readonly Source<Item>[]): Source<Item> | undefined {
  const [first] = sources.filter((source) => !source.isEmpty).sort((a, b) => b.seq - a.seq);
  return first;
}
