/** How long work of one kind is begun before everybody else has a turn. */
const turnMs = 12;

/** More than these do not fit into a turn anyway. */
const mostInTurn = 100;

/**
 * Work that comes at once, such as requests or the ends of runs, would be begun in one go, and nothing else be done until the last of it:
 * with dozens on a busy machine that is a third of a second. So some is begun, then others have their turn, then the next. It stays in the
 * order in which it came.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #now: () => number;
  #beganAt: number | null = null;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls back at once, or in one of the next turns. */
  take(begin: () => void): void {
    this.#ensureEnd();
    if (this.#waiting.length > 0 || !this.#hasTime()) this.#waiting.push(begin);
    else begin();
  }

  /** Calls back in one of the next turns: for what comes with something else, whose time nobody has seen yet. */
  takeNext(begin: () => void): void {
    this.#ensureEnd();
    this.#waiting.push(begin);
  }

  /** Begins all that waits. */
  takeAll(): void {
    for (const begin of this.#waiting.splice(0)) begin();
  }

  #ensureEnd(): void {
    if (this.#beganAt === null && this.#waiting.length === 0) setImmediate(() => this.#endTurn());
  }

  #hasTime(): boolean {
    this.#beganAt ??= this.#now();
    return this.#now() - this.#beganAt < turnMs;
  }

  #endTurn(): void {
    this.#beganAt = null;
    const count = Math.min(this.#waiting.length, mostInTurn);
    if (count === 0) return;
    // Most of the work is done after it was begun. Node does that before it calls the next of these, which sees the time that it took.
    for (let each = 0; each < count; each++) setImmediate(() => this.#beginNext());
    setImmediate(() => this.#endTurn());
  }

  #beginNext(): void {
    if (this.#hasTime()) this.#waiting.shift()?.();
  }
}
