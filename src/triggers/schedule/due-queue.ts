interface Entry<Item> {
  readonly item: Item;
  readonly dueAt: number;
}

/** Items in the order in which they are due: a binary heap. An item is in it at most once. */
export class DueQueue<Item> {
  #heap: Entry<Item>[] = [];
  /** The valid entry of each item. An older one stays in the heap until it comes up. */
  readonly #current = new Map<Item, Entry<Item>>();

  /** When the first item is due; null if there is none. */
  get firstDue(): number | null {
    this.#dropStale();
    return this.#heap[0]?.dueAt ?? null;
  }

  /** Adds an item, or moves it. */
  set(item: Item, dueAt: number): void {
    const entry = { item, dueAt };
    this.#current.set(item, entry);
    // Items that move often must not fill the memory.
    if (this.#heap.length > 2 * this.#current.size + 64) this.#rebuild();
    else this.#push(entry);
  }

  /** When an item is due; null if it is not in the queue. */
  dueOf(item: Item): number | null {
    return this.#current.get(item)?.dueAt ?? null;
  }

  /** Removes the items that are due, and returns them in order. */
  takeDue(now: number): Item[] {
    const due: Item[] = [];
    for (let first = this.firstDue; first !== null && first <= now; first = this.firstDue) {
      const entry = this.#pop();
      if (entry === undefined) break;
      this.#current.delete(entry.item);
      due.push(entry.item);
    }
    return due;
  }

  #rebuild(): void {
    this.#heap = [...this.#current.values()].sort((one, other) => one.dueAt - other.dueAt);
  }

  #dropStale(): void {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (this.#current.get(first.item) === first) return;
      this.#pop();
    }
  }

  #push(entry: Entry<Item>): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.dueAt <= entry.dueAt) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  #pop(): Entry<Item> | undefined {
    const heap = this.#heap;
    const [first, last] = [heap[0], heap.pop()];
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      let child = left;
      if (right !== undefined && right.dueAt < left.dueAt) {
        child = right;
        below++;
      }
      if (child.dueAt >= last.dueAt) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return first;
  }
}
