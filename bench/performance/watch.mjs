import { residentBytes } from '../support/service.mjs';

/** The event loop is looked at this often, and what it shows contains the time between two looks. */
const loopPauseMs = 10;

/** Megabytes as people count them: a million bytes. */
export function residentMb(pid) {
  return residentBytes(pid) / 1e6;
}

/** Reads from outside what a case does to a service. The event loop is watched from the first `begin` on. */
export class Watch {
  #service;
  #caller;
  #warmBefore;
  /** The longest time of all that the event loop was blocked. */
  longestBlockedMs = 0;

  constructor(service) {
    this.#service = service;
    this.#caller = service.caller();
  }

  async begin() {
    this.#warmBefore = await this.#readWarm();
    await this.#readBlockedMs();
  }

  async end() {
    const blockedMs = await this.#readBlockedMs();
    this.longestBlockedMs = Math.max(this.longestBlockedMs, blockedMs);
    const [before, warm] = [this.#warmBefore, await this.#readWarm()];
    return {
      blockedMs,
      hits: warm && warm.hits - (before?.hits ?? 0),
      misses: warm && warm.misses - (before?.misses ?? 0),
      serviceMb: residentMb(this.#service.pid),
      executorMb: residentMb(this.#service.executorPid()),
      warmMb: warm && warm.memory_bytes / 1e6,
    };
  }

  /** Waits until no run is under way or waits. */
  async rest() {
    for (;;) {
      const { running, queued } = await this.#caller.json('/api/health');
      if (running === 0 && queued === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  close() {
    this.#caller.close();
  }

  /** Null where the service has no warm interpreters to tell of. */
  async #readWarm() {
    const { warm } = await this.#caller.json('/api/health');
    return warm ?? null;
  }

  /** The longest since it was last read. */
  async #readBlockedMs() {
    const text = await this.#caller.text('/metrics');
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
    return Math.max(0, 1000 * Number(seconds) - loopPauseMs) || 0;
  }
}
