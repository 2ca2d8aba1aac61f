import type { Logger } from '../../shared/log.ts';

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/**
 * Whether the desktop can be reached. After a failure, the next attempt is delayed, twice as long each time. Logs each change once,
 * regardless of the number of notifications.
 */
export class DesktopHealth {
  readonly #log: Logger;
  #hasFailed = false;
  #pauseMs = 0;
  #pausedUntilMs = 0;
  #pausedIdentity = '';

  constructor(log: Logger) {
    this.#log = log;
  }

  get state(): 'ready' | 'unreachable' {
    return this.#hasFailed ? 'unreachable' : 'ready';
  }

  /** Whether it is too early for another attempt. There is no delay for a different identity. */
  isPaused(identity: string): boolean {
    return identity === this.#pausedIdentity && performance.now() < this.#pausedUntilMs;
  }

  endPause(): void {
    this.#pauseMs = 0;
    this.#pausedUntilMs = 0;
  }

  /** `problem` and `hint` are for the user: what is wrong, and the next step. */
  failed(identity: string, trouble: { problem: string; hint: string }, error: unknown): void {
    this.#pauseMs = Math.min(longestPauseMs, 2 * this.#pauseMs || firstPauseMs);
    this.#pausedUntilMs = performance.now() + this.#pauseMs;
    this.#pausedIdentity = identity;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ ...trouble, reason }, 'desktop is unreachable; notifications are not shown');
  }

  worked(): void {
    this.endPause();
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#log.info('desktop is reachable again; notifications are shown');
  }
}
