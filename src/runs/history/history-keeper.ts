import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Clock } from '../../shared/clock.ts';
import { folderBytes } from '../../shared/folder-size.ts';
import { localDay } from '../../shared/local-day.ts';
import type { Logger } from '../../shared/log.ts';
import type { RetentionLimits, RetentionStore } from './retention-store.ts';
import type { RunRemoval } from './run-removal.ts';
import { RunRemover } from './run-remover.ts';

export interface HistoryKeeperOptions {
  store: RetentionStore;
  removal: RunRemoval;
  /** Whether there is a run of this id on record. */
  isKnown: (runId: string) => boolean;
  /** Lets the disk catch up with what was written; nobody but the caller waits for that. */
  settle: () => Promise<void>;
  runsFolder: string;
  clock: Clock;
  log: Logger;
  limits: { days: number | null; runs: number | null; bytes: number | null };
}

const dayMs = 24 * 3600 * 1000;
/** Counts by day take little, and what happened a year ago is worth a comparison. */
const countedDays = 400;
/** So many at once hold up a request by a millisecond or two. */
const batchRuns = 16;
/** The log of what was written is a few megabytes long by then. */
const unsettledBatches = 16;
/** Enough to keep up with what a batch leaves behind. */
const tidyMs = 2;
const foldersAtOnce = 8;
/** After a run has ended; those that end meanwhile are done with it. */
const patienceMs = 1000;
/** Runs get old also when none end. */
const roundMs = 10 * 60 * 1000;

/**
 * Keeps the history in bounds, in the background: notes what ended runs take and what can be searched of them, and removes those
 * that are over a limit, with their folders.
 */
export class HistoryKeeper {
  readonly #options: HistoryKeeperOptions;
  readonly #closing = new AbortController();
  readonly #remover: RunRemover;
  #soon: NodeJS.Timeout | undefined;
  #regularly: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isRoundDue = false;
  #unsettled = 0;
  /** How long others have been held up in this step. */
  #heldMs = 0;

  constructor(options: HistoryKeeperOptions) {
    this.#options = options;
    const { removal, runsFolder, log } = options;
    this.#remover = new RunRemover({
      removal: { forgetRuns: (runIds) => this.#hold(() => removal.forgetRuns(runIds)) },
      runsFolder,
      log,
      closing: this.#closing.signal,
    });
  }

  /**
   * Begins. `folders` are those that were there before any new run could be accepted: one without a record is left from a
   * service that was killed before it had written that, or after it had removed it.
   */
  start(folders: readonly string[]): void {
    this.#working = this.#removeStrays(folders).then(() => this.#round());
    this.#regularly = setInterval(() => this.#next(), roundMs).unref();
  }

  /** A run has ended: there is something to do, soon. */
  wake(): void {
    if (this.#soon !== undefined || this.#closing.signal.aborted) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#next();
    }, patienceMs).unref();
  }

  /** Leaves what it is at for the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#soon);
    clearInterval(this.#regularly);
    await this.#working;
  }

  #next(): void {
    // One round does all that there is to do when it begins.
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    this.#working = this.#working.then(() => {
      this.#isRoundDue = false;
      return this.#round();
    });
  }

  async #round(): Promise<void> {
    const { log, clock, store } = this.#options;
    let removed = 0;
    try {
      store.forgetDays(localDay(new Date(clock.now().getTime() - countedDays * dayMs)));
      for (let done = await this.#step(); done.more; done = await this.#step()) removed += done.removed;
      if (this.#unsettled > 0) await this.#settle();
    } catch (error) {
      if (!this.#closing.signal.aborted) log.warn({ err: error }, 'cannot prune the history; will try again');
    }
    if (removed > 0) log.info({ removed }, 'removed runs over a history limit');
  }

  /** As much as others will not notice. */
  async #step(): Promise<{ more: boolean; removed: number }> {
    const { store } = this.#options;
    if (this.#closing.signal.aborted) return { more: false, removed: 0 };
    this.#heldMs = 0;
    const tended = await this.#tend(store.untended(batchRuns));
    const removed = await this.#remove(store.expired(this.#limits(), batchRuns));
    const isTidy = this.#hold(() => this.#tidy());
    const more = tended > 0 || removed > 0 || !isTidy;
    if (more) this.#unsettled++;
    if (this.#unsettled >= unsettledBatches) await this.#settle();
    // Half of the time is for others. They need not wait for the disk.
    if (more) await this.#pause(this.#heldMs);
    return { more, removed };
  }

  /** Whether nothing is left to tidy. */
  #tidy(): boolean {
    const enough = performance.now() + tidyMs;
    while (this.#options.store.tidy()) if (performance.now() > enough) return false;
    return true;
  }

  #hold<Result>(work: () => Result): Result {
    const began = performance.now();
    try {
      return work();
    } finally {
      this.#heldMs += performance.now() - began;
    }
  }

  async #settle(): Promise<void> {
    this.#unsettled = 0;
    await this.#options.settle();
  }

  #limits(): RetentionLimits {
    const { clock, limits } = this.#options;
    const { days, runs, bytes } = limits;
    const endedBefore = days === null ? null : new Date(clock.now().getTime() - days * dayMs).toISOString();
    return { endedBefore, runs, bytes };
  }

  async #tend(runIds: readonly string[]): Promise<number> {
    if (runIds.length === 0) return 0;
    const sizes = await inGroups(runIds, async (runId) => {
      const folder = join(this.#options.runsFolder, runId);
      return { runId, folderBytes: await folderBytes(folder, this.#closing.signal) };
    });
    this.#hold(() => this.#options.store.tend(sizes));
    return runIds.length;
  }

  async #remove(runIds: readonly string[]): Promise<number> {
    return runIds.length === 0 ? 0 : (await this.#remover.removeEnded(runIds)).length;
  }

  async #removeStrays(folders: readonly string[]): Promise<void> {
    const { isKnown, log } = this.#options;
    try {
      for (let at = 0; at < folders.length && !this.#closing.signal.aborted; at += batchRuns) {
        const strays = folders
          .slice(at, at + batchRuns)
          .filter((name) => runFolderName.test(name) && !isKnown(name));
        await this.#remover.removeFolders(strays);
        await this.#pause(0);
      }
    } catch (error) {
      log.warn({ err: error }, 'cannot remove all folders of unknown runs');
    }
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
  }
}

const runFolderName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A few at a time, in order. */
async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += foldersAtOnce)
    results.push(...(await Promise.all(items.slice(at, at + foldersAtOnce).map(work))));
  return results;
}
