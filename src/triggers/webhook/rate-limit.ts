/** Allows a number of events within a span of time, for each key. Times are monotonic. */
export class RateLimit {
  readonly #most: number;
  readonly #spanMs: number;
  /** The times of the latest events, oldest first. */
  readonly #times = new Map<string, number[]>();

  constructor({ most, spanMs }: { most: number; spanMs: number }) {
    this.#most = most;
    this.#spanMs = spanMs;
  }

  /** Counts an event and returns 0, or returns the milliseconds until there is room for one. */
  take(key: string, nowMs: number): number {
    const recent = (this.#times.get(key) ?? []).filter((ms) => ms > nowMs - this.#spanMs);
    const [oldest = nowMs] = recent;
    const isFull = recent.length >= this.#most;
    this.#times.set(key, isFull ? recent : [...recent, nowMs]);
    return isFull ? oldest + this.#spanMs - nowMs : 0;
  }

  /** Forgets all other keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#times.keys()) if (!keys.has(key)) this.#times.delete(key);
  }
}
