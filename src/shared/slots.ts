/** Admits a limited number of callers at once. The others wait in order of arrival. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a function that releases the slot. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.#releaseOnce());
      };
      const leave = () => {
        this.#waiting.delete(enter);
        reject(signal.reason);
      };
      if (this.#free > 0) {
        this.#free--;
        enter();
        return;
      }
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #releaseOnce(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free++;
        return;
      }
      this.#waiting.delete(next);
      next();
    };
  }
}
