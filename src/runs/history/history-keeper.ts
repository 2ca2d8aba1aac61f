import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../shared/clock.ts';
import { localDay } from '../../shared/clock.ts';
import { folderBytes } from '../../shared/folder-size.ts';
import type { Logger } from '../../shared/log.ts';
import type { RetentionLimits, RetentionStore, RunRemoval } from './retention-store.ts';
import { RunRemover } from './run-remover.ts';

export interface HistoryKeeperOptions {
  store: RetentionStore;
  removal: RunRemoval;
  /** Whether a run with this id is on record. */
  isKnown: (runId: string) => boolean;
  /** Writes the log of the database back to its file. Requests do not wait for it. */
  settle: () => Promise<void>;
  runsFolder: string;
  clock: Clock;
  log: Logger;
  limits: { days: number | null; runs: number | null; bytes: number | null };
}

const dayMs = 24 * 3600 * 1000;
/** Counts by day need little space, and a comparison with the previous year is useful. */
const countedDays = 400;
/** A batch of this size delays a request by one or two milliseconds. */
const batchRuns = 16;
/** After so many batches the log of the database has a few megabytes. */
const unsettledBatches = 16;
/** Long enough to clean up after one batch. */
const tidyMs = 2;
const foldersAtOnce = 8;
/** Rounds also take place without ends, because runs reach the age limit. */
const roundMs = 10 * 60 * 1000;

/**
 * Limits the history in the background: records the sizes and search texts of ended runs, and removes runs over a limit
 * together with their folders.
 */
export class HistoryKeeper {
  readonly #options: HistoryKeeperOptions;
  readonly #closing = new AbortController();
  readonly #remover: RunRemover;
  #roundTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isRoundDue = false;
  #unsettled = 0;
  /** How long this step has blocked the event loop. */
  #blockedMs = 0;

  constructor(options: HistoryKeeperOptions) {
    this.#options = options;
    const { removal, runsFolder, log } = options;
    this.#remover = new RunRemover({
      removal: { forgetRuns: (runIds) => this.#measure(() => removal.forgetRuns(runIds)) },
      runsFolder,
      log,
      closing: this.#closing.signal,
    });
  }

  /**
   * Starts the rounds. `folders` lists the folders from before new runs were accepted. A folder without a record was
   * left by a service that was killed before it wrote the record or after it removed it.
   */
  start(folders: readonly string[]): void {
    this.#working = this.#removeStrays(folders).then(() => this.#round());
    this.#roundTimer = setInterval(() => this.#next(), roundMs).unref();
  }

  /** Schedules a round after a run has ended. */
  wake(): void {
    if (!this.#closing.signal.aborted) this.#next();
  }

  /** Stops. Unfinished work is done after the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#roundTimer);
    await this.#working;
  }

  #next(): void {
    // One waiting round is enough: it handles all work that exists when it begins.
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

  /** Processes one batch, small enough not to delay requests noticeably. */
  async #step(): Promise<{ more: boolean; removed: number }> {
    const { store } = this.#options;
    if (this.#closing.signal.aborted) return { more: false, removed: 0 };
    this.#blockedMs = 0;
    const tended = await this.#tend(store.untended(batchRuns));
    const removed = await this.#remove(store.expired(this.#limits(), batchRuns));
    const isTidy = this.#measure(() => this.#tidy());
    const more = tended > 0 || removed > 0 || !isTidy;
    if (more) this.#unsettled++;
    if (this.#unsettled >= unsettledBatches) await this.#settle();
    // Leaves half of the time to other requests. Time spent waiting for the disk does not count.
    if (more) await this.#pause(this.#blockedMs);
    return { more, removed };
  }

  /** Returns whether no cleanup is left. */
  #tidy(): boolean {
    const enough = performance.now() + tidyMs;
    while (this.#options.store.tidy()) if (performance.now() > enough) return false;
    return true;
  }

  #measure<Result>(work: () => Result): Result {
    const began = performance.now();
    try {
      return work();
    } finally {
      this.#blockedMs += performance.now() - began;
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
    this.#measure(() => this.#options.store.tend(sizes));
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

/** Processes a few items at a time and keeps their order. */
async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += foldersAtOnce)
    results.push(...(await Promise.all(items.slice(at, at + foldersAtOnce).map(work))));
  return results;
}
