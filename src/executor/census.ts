import { setTimeout as wait } from 'node:timers/promises';

import type { Count } from '../execution/messages.ts';
import { type ProcessEntry, readProcessTable } from './process-table.ts';
import type { RunProcesses } from './run-processes.ts';

/** A process that is exiting when its script ends does not count as left running. It gets this long to exit. */
const settleMs = 50;
/** Reading the process table takes at most one part in this many of the time of this process, however many runs end. */
const restFactor = 25;

/**
 * Counts the processes that runs left running when they ended by themselves. One reading of the process table serves
 * all runs that ended before it.
 */
export class Census {
  readonly #report: (counts: readonly Count[]) => void;
  #waiting: RunProcesses[] = [];
  /** Runs whose cgroup contains processes that they left running. The cgroup can be removed when those have ended. */
  #occupied: RunProcesses[] = [];
  #counting: Promise<void> | undefined;

  constructor(report: (counts: readonly Count[]) => void) {
    this.#report = report;
  }

  /** Counts soon. If the process table cannot be read, the count stays unknown. */
  add(run: RunProcesses): void {
    this.#waiting.push(run);
    this.#counting ??= this.#count();
  }

  /** Resolves when no run waits to be counted. */
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
    // Reset in the same turn in which the list was found empty, so that the next `add` starts a new count.
    this.#counting = undefined;
  }
}

function countIn(run: RunProcesses, table: readonly ProcessEntry[]): Count {
  return { runId: run.runId, leftRunning: run.findIn(table).length };
}
