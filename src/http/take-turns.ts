/** How long requests are begun before everybody else has a turn: answers, ends of runs, the clock. */
const turnMs = 12;

/**
 * Requests that come at once would be begun in one go, and nothing else be done until the last of them: with dozens on a busy machine
 * that is a third of a second. So some are begun, then others have their turn, then the next. They stay in the order in which they came.
 * Of those that wait only one has each turn: most of the work of a request is done after it was begun, where nobody can see how long
 * it takes.
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
    if (this.#waiting.length > 0) {
      this.#waiting.push(begin);
      return;
    }
    if (this.#beganAt === null) {
      this.#beganAt = this.#now();
      setImmediate(() => this.#next());
    }
    if (this.#now() - this.#beganAt >= turnMs) this.#waiting.push(begin);
    else begin();
  }

  #next(): void {
    this.#beganAt = null;
    const begin = this.#waiting.shift();
    if (begin === undefined) return;
    this.#beganAt = this.#now();
    setImmediate(() => this.#next());
    begin();
  }
}
