import type { Logger } from '../../shared/log.ts';

const firstMs = 1000;
const mostMs = 30_000;

/** Whether the desktop can be reached. Logs each change once, regardless of the number of notifications. */
export class DesktopHealth {
  readonly #log: Logger;
  readonly #backOff = new BackOff();
  #hasFailed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  get state(): 'ready' | 'unreachable' {
    return this.#hasFailed ? 'unreachable' : 'ready';
  }

  /** Whether it is too early for another attempt. */
  isPaused(identity: string): boolean {
    return this.#backOff.isOn(identity);
  }

  endPause(): void {
    this.#backOff.reset();
  }

  /** `problem` and `hint` are for the user: what is wrong, and the next step. */
  failed(identity: string, trouble: { problem: string; hint: string }, error: unknown): void {
    this.#backOff.failed(identity);
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ ...trouble, reason }, 'desktop is unreachable; notifications are not shown');
  }

  worked(): void {
    this.#backOff.reset();
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#log.info('desktop is reachable again; notifications are shown');
  }
}

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
