import { ringFileOf } from '../../execution/ring-state.ts';
import { readLogPart, sizeOfLog } from './read-log.ts';

/** No event tells of a write to a file everywhere, so it is looked at: often while bytes come, less often while none do. */
const soonestMs = 20;
const latestMs = 200;
/** Whoever types waits for every letter to be shown. */
const hastyMs = 4;
const slowdown = 1.5;
const ringSignBytes = 64;

/** Looks after the log of a stream for all who follow it, while any of them waits. */
export class LogWatch {
  readonly #log: string;
  readonly #waiting = new Set<() => void>();
  #hasBegun = false;
  #isLooking = false;
  #endPause = (): void => {};
  #isHasty = false;
  #seen = '';
  #version = 0;

  constructor(log: string) {
    this.#log = log;
  }

  /** Grows when something has changed. To be taken before one looks oneself, so that nothing is missed in between. */
  get version(): number {
    return this.#version;
  }

  /** Resolves when something has changed since then, at the latest when the signal is aborted. */
  changed(since: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || since !== this.#version) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (this.#hasBegun && !this.#isLooking) void this.#look();
    });
  }

  /** The run has begun: until then there is no log, and hundreds of runs that wait for their turn would be looked at for nothing. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.wake();
  }

  /** Something is about to be written. */
  hasten(): void {
    this.#isHasty = true;
    this.#endPause();
  }

  /** There is something that cannot be seen from the log. */
  wake(): void {
    this.#version++;
    for (const done of [...this.#waiting]) done();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    for (let pauseMs = soonestMs; this.#waiting.size > 0; pauseMs = Math.min(pauseMs * slowdown, latestMs)) {
      const sign = await this.#sign();
      if (sign !== this.#seen) {
        this.#seen = sign;
        this.wake();
        pauseMs = soonestMs;
      }
      if (this.#isHasty) pauseMs = hastyMs;
      this.#isHasty = false;
      // Also when nobody waits at this moment: whoever was woken comes back soon, and should not make us look in circles.
      await this.#pause(pauseMs);
    }
    this.#isLooking = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Not the time of the last change: two writes may have the same. */
  async #sign(): Promise<string> {
    const sizeBytes = await sizeOfLog(this.#log);
    const ring = await readLogPart(ringFileOf(this.#log), 0, ringSignBytes);
    return `${sizeBytes} ${ring.toString('latin1')}`;
  }
}
