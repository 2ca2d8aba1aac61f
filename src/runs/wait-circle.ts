/** A run that was let in, with what it has. */
export interface Holder {
  readonly runId: string;
  /** The run that waits for it. */
  readonly parent: Holder | null;
  /** What it has, and from whom: null when it is its own, not borrowed. */
  readonly has: Map<string, Holder | null>;
  /** What it has lent, and to whom. */
  readonly lent: Map<string, Holder>;
}

export interface Waiting {
  readonly runId: string;
  readonly parent: string | null;
  readonly needs: readonly {
    readonly thing: string;
    readonly limit: number;
    readonly lender: Holder | null;
  }[];
}

/**
 * Whether a waiting run could never start, given who has what. Found by letting everything end that can: a run can end
 * when none of the runs it waits for is stuck; a waiting run is not stuck when all it needs will be given back.
 */
export function isStuck(runId: string, waiting: readonly Waiting[], holders: readonly Holder[]): boolean {
  const stuckWaiters = new Set(waiting);
  const stuckHolders = new Set(holders);
  for (let changed = true; changed; ) {
    changed = false;
    for (const holder of stuckHolders) {
      if (!canEnd(holder)) continue;
      stuckHolders.delete(holder);
      changed = true;
    }
    for (const waiter of stuckWaiters) {
      if (!canStart(waiter)) continue;
      stuckWaiters.delete(waiter);
      changed = true;
    }
  }
  return [...stuckWaiters].some((waiter) => waiter.runId === runId);

  function canEnd(holder: Holder): boolean {
    for (const waiter of stuckWaiters) if (waiter.parent === holder.runId) return false;
    for (const other of stuckHolders) if (other.parent === holder) return false;
    return true;
  }

  function canStart(waiter: Waiting): boolean {
    return waiter.needs.every(({ thing, limit, lender }) => {
      if (lender !== null && !isKept(thing, lender.lent.get(thing))) return true;
      let kept = 0;
      for (const holder of holders) if (holder.has.get(thing) === null && isKept(thing, holder)) kept++;
      return kept < limit;
    });
  }

  /** Whether a thing never comes back from a holder: whoever it was lent on to keeps it when its lender ends first. */
  function isKept(thing: string, from: Holder | undefined): boolean {
    for (let holder = from; holder !== undefined; holder = holder.lent.get(thing)) {
      if (stuckHolders.has(holder)) return true;
    }
    return false;
  }
}
