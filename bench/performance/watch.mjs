import { rounded } from '../support/samples.mjs';
import { residentBytes } from '../support/service.mjs';
import { disturbances, loopPauseMs, Undisturbed } from './undisturbed.mjs';

/** Megabytes as people count them: a million bytes. */
export function residentMb(pid) {
  return residentBytes(pid) / 1e6;
}

/** Of what may not be known; null when nothing is. */
export function longestOf(times) {
  const known = times.filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** How long an event loop was blocked, for people. */
export function blockedText(ms) {
  return ms === null ? 'not known' : `${rounded(ms)} ms`;
}

/** Reads from outside what a case does to a service: what happens in `during`, between `begin` and `end`. */
export class Watch {
  #service;
  #caller;
  #warmBefore;
  /** Null until there was a turn that shows it. */
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

  /** Does something to the service. Only then its event loop counts: while others have their turn, they have the processor. */
  async during(doIt, undisturbed = new Undisturbed({ again: 0 })) {
    const { seen, idleMs, isDisturbed } = await undisturbed.take(async () => {
      await this.#readBlockedMs();
      const done = await doIt();
      return { done, blockedMs: await this.#readBlockedMs() };
    });
    this.#idleMs = Math.max(this.#idleMs, idleMs);
    // Then it shows what the machine did to everybody, and not what the service did.
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
