import { AppError } from '../shared/errors.ts';
import { waitCircle } from './refusals.ts';
import { type Holder, isStuck } from './wait-circle.ts';

/** What a run needs before it may start. */
export interface Claim {
  readonly runId: string;
  readonly scriptId: string;
  readonly concurrency: number | null;
  readonly lock: string | null;
  /** The run that waits for this one, and whose holdings it may therefore borrow; null when nobody does. */
  readonly waitingParent: string | null;
}

interface Claimant {
  readonly id: string;
  /** Absent for a script that is gone. */
  readonly runtime: { readonly concurrency: number | null; readonly lock: string | null } | undefined;
}

/** Only a run that somebody waits for may borrow what its caller holds: any other may outlive it. */
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
 * Decides who may run: so many at once, so many of one script, one holder a lock; the others wait in order of arrival. A run
 * gets all it needs at once or nothing, so whoever waits holds nothing. A run whose parent waits for it may borrow what the
 * parent, or an ancestor, has; each thing is lent to one run at a time. So a chain of links can always go on, even
 * with a limit of one. What could still block for ever is chains that hold each other's locks: the link that would close
 * such a circle is refused.
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

  /** Whether this run was let in and has not left yet. */
  isIn(runId: string): boolean {
    return this.#holders.has(runId);
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Lets no run in until `resume` is called: all wait, in order of arrival. */
  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    this.#admitWaiting();
  }

  /** Refuses at once what could not even wait. */
  assertRoom(claim: Claim): void {
    if (this.#planNow(claim) !== null) return;
    if (this.#queue.length >= this.#options.maxQueued) throw queueFull(this.#queue.length);
    if (claim.waitingParent !== null && this.#closesCircle(claim)) throw waitCircle();
  }

  /** Resolves when the run may start. Aborting the signal gives up its place. */
  enter(claim: Claim, signal: AbortSignal): Promise<Lease> {
    this.assertRoom(claim);
    return this.readmit(claim, signal);
  }

  /** Gives a run that is under way already its place, also where the limits would let nobody in. */
  adopt(claim: Claim): Lease {
    const beyond = () => new Map([...this.#needs(claim)].map(([thing]): [string, null] => [thing, null]));
    return this.#admit(claim, this.#plan(claim) ?? beyond());
  }

  /** Like `enter`, for a run that an earlier service has accepted: it cannot be refused any more. */
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

  /** A run that is in waits from now on for one that may still be queued, which can therefore borrow what the other holds. */
  lend(runId: string, waitingParent: string): void {
    const waiter = this.#queue.find(({ claim }) => claim.runId === runId);
    if (waiter === undefined || waiter.claim.waitingParent !== null || !this.isIn(waitingParent)) return;
    const claim = { ...waiter.claim, waitingParent };
    if (this.#plan(claim) === null && this.#closesCircle(claim)) throw waitCircle();
    waiter.claim = claim;
    this.#admitWaiting();
  }

  /** From whom the run would get each thing it needs (null: a free one); null when it must wait. */
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
      // A run may end before the child that borrowed from it: the child then has the thing in its place.
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
