import { monitorEventLoopDelay } from 'node:perf_hooks';

/** An event loop is looked at this often, and what it shows contains the time between two looks. */
export const loopPauseMs = 10;

/** On a machine that is busy with nothing but the measurement it is mostly half of this or less. */
const disturbedMs = 40;

/** Of the whole measurement: how many turns there were, were taken again, and do not count for the event loop of a service. */
export const disturbances = { turns: 0, again: 0, leftOut: 0 };

/**
 * Takes turns while this process, which has nothing to do, looks at its own event loop. One during which even that was held up shows
 * what something else did to the machine, and is taken again: whoever's turn it is, and only so often.
 */
export class Undisturbed {
  #loop = monitorEventLoopDelay({ resolution: loopPauseMs });
  #again;

  constructor({ again }) {
    this.#again = again;
  }

  /** What was seen in the last one, and how long this process was held up in it. */
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
