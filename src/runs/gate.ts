import { AppError } from '../shared/errors.ts';
import { waitCircle } from './refusals.ts';

/** The resources that a run needs before it may start. */
export interface Claim {
  readonly runId: string;
  readonly scriptId: string;
  readonly concurrency: number | null;
  readonly lock: string | null;
  /** The run that waits for this one. This run may borrow the resources that the parent holds. Null if no run waits. */
  readonly waitingParent: string | null;
}

interface Claimant {
  readonly id: string;
  /** Undefined if the script was removed. */
  readonly runtime: { readonly concurrency: number | null; readonly lock: string | null } | undefined;
}

/** A run may borrow from its caller only while the caller waits for it: any other run may outlive its caller. */
export function claimOf(runId: string, { id, runtime }: Claimant, waitingParent: string | null): Claim {
  const { concurrency = null, lock = null } = runtime ?? {};
  return { runId, scriptId: id, concurrency, lock, waitingParent };
}

export interface Lease {
  release(): void;
}

interface GateOptions {
  maxRuns: number;
  maxQueued: number;
}

interface Waiter {
  claim: Claim;
  readonly admit: (lease: Lease) => void;
}

const slot = 'slot';

/**
 * Decides which runs may start. It limits all runs, the runs of one script, and the holders of a lock to one. Other
 * runs wait in order of arrival. A run gets all its resources at once or none, so a waiting run holds nothing. A run
 * whose parent waits for it may borrow the resources of that parent or of an ancestor. Each resource is lent to one run
 * at a time. Therefore a chain of links can always proceed, even with a limit of one. The remaining deadlock is a
 * circle of chains that hold each other's locks: the link that would close the circle is refused.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #holders = new Map<string, Holder>();
  readonly #queue: Waiter[] = [];
  readonly #taken = new Map<string, number>();
  #isHeld = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#holders.size;
  }

  /** Whether the run was admitted and has not released its lease yet. */
  isIn(runId: string): boolean {
    return this.#holders.has(runId);
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Admits no run until `resume` is called. Until then all runs wait in order of arrival. */
  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    this.#admitWaiting();
  }

  /** Throws if the run can neither start nor wait. */
  assertRoom(claim: Claim): void {
    if (this.#planNow(claim) !== null) return;
    if (this.#queue.length >= this.#options.maxQueued) throw queueFull(this.#queue.length);
    if (claim.waitingParent !== null && this.#closesCircle(claim)) throw waitCircle();
  }

  /** Resolves when the run may start. Aborting the signal removes the run from the queue. */
  enter(claim: Claim, signal: AbortSignal): Promise<Lease> {
    this.assertRoom(claim);
    return this.readmit(claim, signal);
  }

  /** Admits a run that already executes, even beyond the limits. */
  adopt(claim: Claim): Lease {
    const beyond = () => new Map([...this.#needs(claim)].map(([thing]): [string, null] => [thing, null]));
    return this.#admit(claim, this.#plan(claim) ?? beyond());
  }

  /** Like `enter`, for a run that an earlier service accepted: such a run cannot be refused. */
  readmit(claim: Claim, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const plan = this.#planNow(claim);
    if (plan !== null) return Promise.resolve(this.#admit(claim, plan));
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        claim,
        admit: (lease) => {
          signal.removeEventListener('abort', leave);
          resolve(lease);
        },
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(waiter);
    });
  }

  /**
   * Records that an admitted run now waits for `runId`. If `runId` is still queued, it can borrow the resources of that
   * run.
   */
  lend(runId: string, waitingParent: string): void {
    const waiter = this.#queue.find(({ claim }) => claim.runId === runId);
    if (waiter === undefined || waiter.claim.waitingParent !== null || !this.isIn(waitingParent)) return;
    const claim = { ...waiter.claim, waitingParent };
    if (this.#plan(claim) === null && this.#closesCircle(claim)) throw waitCircle();
    waiter.claim = claim;
    this.#admitWaiting();
  }

  /**
   * For each resource the run needs, the holder that lends it, or null if a free one is available. Null if the run must
   * wait.
   */
  #plan(claim: Claim): Map<string, Holder | null> | null {
    const plan = new Map<string, Holder | null>();
    for (const [thing, limit] of this.#needs(claim)) {
      const ancestor = this.#nearestWith(thing, claim);
      if (ancestor !== null && !ancestor.lent.has(thing)) plan.set(thing, ancestor);
      else if ((this.#taken.get(thing) ?? 0) < limit) plan.set(thing, null);
      else return null;
    }
    return plan;
  }

  #planNow(claim: Claim): Map<string, Holder | null> | null {
    return this.#isHeld ? null : this.#plan(claim);
  }

  *#needs(claim: Claim): Generator<[thing: string, limit: number]> {
    yield [slot, this.#options.maxRuns];
    if (claim.concurrency !== null) yield [`script ${claim.scriptId}`, claim.concurrency];
    if (claim.lock !== null) yield [`lock ${claim.lock}`, 1];
  }

  #nearestWith(thing: string, claim: Claim): Holder | null {
    let holder = claim.waitingParent === null ? null : (this.#holders.get(claim.waitingParent) ?? null);
    while (holder !== null && !holder.has.has(thing)) holder = holder.parent;
    return holder;
  }

  #admit(claim: Claim, plan: Map<string, Holder | null>): Lease {
    const parent = claim.waitingParent === null ? null : (this.#holders.get(claim.waitingParent) ?? null);
    const holder: Holder = { runId: claim.runId, parent, has: plan, lent: new Map() };
    for (const [thing, lender] of plan) {
      if (lender === null) this.#taken.set(thing, (this.#taken.get(thing) ?? 0) + 1);
      else lender.lent.set(thing, holder);
    }
    this.#holders.set(claim.runId, holder);
    let released = false;
    return {
      release: () => {
        if (released) return;
        released = true;
        this.#release(holder);
      },
    };
  }

  #release(holder: Holder): void {
    this.#holders.delete(holder.runId);
    for (const [thing, lender] of holder.has) {
      // A run may end before the child that borrowed from it. The child then takes over the resource from the lender.
      const borrower = holder.lent.get(thing);
      if (borrower !== undefined) {
        borrower.has.set(thing, lender);
        lender?.lent.set(thing, borrower);
      } else if (lender !== null) {
        lender.lent.delete(thing);
      } else {
        const left = (this.#taken.get(thing) ?? 1) - 1;
        if (left > 0) this.#taken.set(thing, left);
        else this.#taken.delete(thing);
      }
    }
    holder.has.clear();
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (const waiter of [...this.#queue]) {
      const plan = this.#planNow(waiter.claim);
      if (plan === null) continue;
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      waiter.admit(this.#admit(waiter.claim, plan));
    }
  }

  #closesCircle(claim: Claim): boolean {
    const others = this.#queue.map((waiter) => waiter.claim).filter(({ runId }) => runId !== claim.runId);
    const waiting = [...others, claim].map((waiter) => ({
      runId: waiter.runId,
      parent: waiter.waitingParent,
      needs: [...this.#needs(waiter)].map(([thing, limit]) => ({
        thing,
        limit,
        lender: this.#nearestWith(thing, waiter),
      })),
    }));
    return isStuck(claim.runId, waiting, [...this.#holders.values()]);
  }
}

function queueFull(length: number): AppError {
  return new AppError(
    'queue-full',
    {
      en: `The queue is full: ${length} runs are waiting (setting max_queued). Try again later.`,
      zh: `排队中的运行已达上限（${length}），请稍后重试。`,
    },
    { retryAfterS: 5 },
  );
}

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
