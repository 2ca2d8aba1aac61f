/** How long requests are begun before everybody else has a turn: answers, ends of runs, the clock. */
const turnMs = 12;

/** More than these do not fit into a turn anyway. */
const mostInTurn = 100;

/**
 * Requests that come at once would be begun in one go, and nothing else be done until the last of them: with dozens on a busy machine
 * that is a third of a second. So some are begun, then others have their turn, then the next. They stay in the order in which they came.
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
    if (this.#beganAt === null && this.#waiting.length === 0) setImmediate(() => this.#endTurn());
    if (this.#waiting.length > 0 || !this.#hasTime()) this.#waiting.push(begin);
    else begin();
  }

  #hasTime(): boolean {
    this.#beganAt ??= this.#now();
    return this.#now() - this.#beganAt < turnMs;
  }

  #endTurn(): void {
    this.#beganAt = null;
    const count = Math.min(this.#waiting.length, mostInTurn);
    if (count === 0) return;
    // Most of the work of a request is done after it was begun. Node does that before it calls the next of these, which sees the time it took.
    for (let each = 0; each < count; each++) setImmediate(() => this.#beginNext());
    setImmediate(() => this.#endTurn());
  }

  #beginNext(): void {
    if (this.#hasTime()) this.#waiting.shift()?.();
  }
}
