import { setTimeout as wait } from 'node:timers/promises';

import type { Count } from '../execution/messages.ts';
import { type ProcessEntry, readProcessTable } from './process-table.ts';
import type { RunProcesses } from './run-processes.ts';

/** What is on its way out when its script ends is not left running: it gets this long. */
const settleMs = 50;
/** Looking takes at most one part in so many of this process's time, however many runs end. */
const restFactor = 25;

/**
 * Counts what runs have left running when they ended by themselves. One look through all processes serves every run that
 * ended before it.
 */
export class Census {
  readonly #report: (counts: readonly Count[]) => void;
  #waiting: RunProcesses[] = [];
  /** Runs with a cgroup that something they left running is in: it can be removed when that has ended. */
  #occupied: RunProcesses[] = [];
  #counting: Promise<void> | undefined;

  constructor(report: (counts: readonly Count[]) => void) {
    this.#report = report;
  }

  /** Counts soon. What cannot be counted for lack of a way to look stays unknown. */
  add(run: RunProcesses): void {
    this.#waiting.push(run);
    this.#counting ??= this.#count();
  }

  /** Resolves when nobody waits to be counted. */
  async settled(): Promise<void> {
    await this.#counting;
  }

  async #count(): Promise<void> {
    let restMs = settleMs;
    while (this.#waiting.length > 0) {
      await wait(restMs);
      const runs = this.#waiting;
      this.#waiting = [];
      const startedMs = performance.now();
      const table = await readProcessTable(Math.min(...runs.map((run) => run.sinceTicks)));
      if (table !== null) this.#report(runs.map((run) => countIn(run, table)));
      this.#occupied = [...this.#occupied, ...runs].filter(({ cgroup }) => cgroup?.remove() === false);
      restMs = Math.max(settleMs, restFactor * (performance.now() - startedMs));
    }
    // In the same turn in which nobody waits: whoever comes next begins anew.
    this.#counting = undefined;
  }
}

function countIn(run: RunProcesses, table: readonly ProcessEntry[]): Count {
  return { runId: run.runId, leftRunning: run.findIn(table).length };
}
