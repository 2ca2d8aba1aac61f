import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Sampling interval of the event loop. Each measured delay includes it. */
export const loopPauseMs = 10;

/** On a machine that does nothing else, the delay is usually at most half of this. */
const disturbedMs = 40;

/** Counts for the whole measurement: all turns, repeated turns, and turns discarded from the event loop figures. */
export const disturbances = { turns: 0, again: 0, leftOut: 0 };

/**
 * Runs turns while this idle process measures the delay of its own event loop. A delay shows that something else disturbed the machine: the
 * turn is repeated, for every service alike, a limited number of times.
 */
export class Undisturbed {
  #loop = monitorEventLoopDelay({ resolution: loopPauseMs });
  #again;

  constructor({ again }) {
    this.#again = again;
  }

  /** Returns the result of the last attempt, and how long this process was delayed during it. */
  async take(turn) {
    disturbances.turns += 1;
    for (;;) {
      this.#loop.reset();
      this.#loop.enable();
      const seen = await turn();
      this.#loop.disable();
      const idleMs = Math.max(0, this.#loop.max / 1e6 - loopPauseMs);
      const isDisturbed = idleMs > disturbedMs;
      if (!isDisturbed || this.#again === 0) return { seen, idleMs, isDisturbed };
      this.#again -= 1;
      disturbances.again += 1;
    }
  }
}
