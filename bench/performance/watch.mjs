import { monitorEventLoopDelay } from 'node:perf_hooks';

import { residentBytes } from '../support/service.mjs';

/** The event loop is looked at this often, and what it shows contains the time between two looks. */
const loopPauseMs = 10;

/** Megabytes as people count them: a million bytes. */
export function residentMb(pid) {
  return residentBytes(pid) / 1e6;
}

/** Reads from outside what a case does to a service: what happens in `during`, between `begin` and `end`. */
export class Watch {
  #service;
  #caller;
  #warmBefore;
  #blockedMs = 0;
  /** The event loop of this process, which has nothing to do meanwhile. */
  #idleLoop = monitorEventLoopDelay({ resolution: loopPauseMs });
  #idleMs = 0;

  constructor(service) {
    this.#service = service;
    this.#caller = service.caller();
  }

  async begin() {
    this.#warmBefore = await this.#readWarm();
    this.#blockedMs = 0;
    this.#idleMs = 0;
  }

  /** Does something to the service. Only then its event loop counts: while others have their turn, they have the processor. */
  async during(doIt) {
    await this.#readBlockedMs();
    this.#idleLoop.reset();
    this.#idleLoop.enable();
    const seen = await doIt();
    this.#idleLoop.disable();
    this.#idleMs = Math.max(this.#idleMs, this.#idleLoop.max / 1e6 - loopPauseMs);
    this.#blockedMs = Math.max(this.#blockedMs, await this.#readBlockedMs());
    return seen;
  }

  async end() {
    const [before, warm] = [this.#warmBefore, await this.#readWarm()];
    return {
      blockedMs: this.#blockedMs,
      idleMs: this.#idleMs,
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
