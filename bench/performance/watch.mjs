import { rounded } from '../support/samples.mjs';
import { residentBytes } from '../support/service.mjs';
import { disturbances, loopPauseMs, Undisturbed } from './undisturbed.mjs';

/** In millions of bytes. */
export function residentMb(pid) {
  return residentBytes(pid) / 1e6;
}

/** The longest known time; null if none is known. */
export function longestOf(times) {
  const known = times.filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Formats how long an event loop was blocked. */
export function blockedText(ms) {
  return ms === null ? 'unknown' : `${rounded(ms)} ms`;
}

/** Measures memory, event loop and warm interpreters of a service from outside, for the work in `during`, between `begin` and `end`. */
export class Watch {
  #service;
  #caller;
  #warmBefore;
  /** Null until there was an undisturbed turn. */
  #blockedMs = null;
  #idleMs = 0;

  constructor(service) {
    this.#service = service;
    this.#caller = service.caller();
  }

  async begin() {
    this.#warmBefore = await this.#readWarm();
    this.#blockedMs = null;
    this.#idleMs = 0;
  }

  /** Runs work on the service. Its event loop counts only here: at other times other services use the processor. */
  async during(doIt, undisturbed = new Undisturbed({ again: 0 })) {
    const { seen, idleMs, isDisturbed } = await undisturbed.take(async () => {
      await this.#readBlockedMs();
      const done = await doIt();
      return { done, blockedMs: await this.#readBlockedMs() };
    });
    this.#idleMs = Math.max(this.#idleMs, idleMs);
    // A delay in a disturbed turn may come from the machine and not from the service.
    if (isDisturbed) disturbances.leftOut += 1;
    else this.#blockedMs = longestOf([this.#blockedMs, seen.blockedMs]);
    return seen.done;
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

  /** Waits until no run is running or queued. */
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

  /** Null if the service reports no warm interpreters. */
  async #readWarm() {
    const { warm } = await this.#caller.json('/api/health');
    return warm ?? null;
  }

  /** The longest block since the last read. */
  async #readBlockedMs() {
    const text = await this.#caller.text('/metrics');
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
    return Math.max(0, 1000 * Number(seconds) - loopPauseMs) || 0;
  }
}
