/** Lets so many in at once; the others wait, first come first served. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with what gives the slot back. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.#giveBackOnce());
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

  #giveBackOnce(): () => void {
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
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
