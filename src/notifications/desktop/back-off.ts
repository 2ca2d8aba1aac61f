const firstMs = 1000;
const mostMs = 30_000;

/** After a failure the next attempt waits, twice as long each time, so that what is not there is not asked all the time. */
export class BackOff {
  #waitMs = 0;
  #untilMs = 0;
  #identity = '';

  /** Whether it is too early for an attempt. What has another identity than what failed is not waited for. */
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
