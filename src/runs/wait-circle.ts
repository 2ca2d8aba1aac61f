/** An admitted run and the resources it holds. */
export interface Holder {
  readonly runId: string;
  /** The run that waits for this one. */
  readonly parent: Holder | null;
  /** The resources it holds, and the lender of each; null if the run owns it. */
  readonly has: Map<string, Holder | null>;
  /** The resources it has lent, and the borrower of each. */
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
 * Whether a waiting run can never start, given the current holders. Simulates the end of every run that can end: a run
 * can end when none of the runs it waits for is stuck, and a waiting run is not stuck when all resources it needs will
 * be released.
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

  /** Whether a holder never returns a resource. A borrower keeps the resource if its lender ends first. */
  function isKept(thing: string, from: Holder | undefined): boolean {
    for (let holder = from; holder !== undefined; holder = holder.lent.get(thing)) {
      if (stuckHolders.has(holder)) return true;
    }
    return false;
  }
}
