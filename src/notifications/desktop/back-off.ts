const firstMs = 1000;
const mostMs = 30_000;

/** Delays the next attempt after a failure, twice as long each time. */
export class BackOff {
  #waitMs = 0;
  #untilMs = 0;
  #identity = '';

  /** Whether it is too early for another attempt. There is no delay for a different identity. */
  isOn(identity: string): boolean {
    return identity === this.#identity && performance.now() < this.#untilMs;
  }

  failed(identity: string): void {
    this.#waitMs = Math.min(mostMs, this.#waitMs === 0 ? firstMs : 2 * this.#waitMs);
    this.#untilMs = performance.now() + this.#waitMs;
    this.#identity = identity;
  }

  reset(): void {
    this.#waitMs = 0;
    this.#untilMs = 0;
  }
}
