import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

import { watch } from 'chokidar';

import { errnoOf, isExhaustion } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import type { Catalogue } from './catalogue.ts';
import { mayBeManifest } from './load-folder.ts';
import { inParallel, isIgnoredFolder } from './script-folders.ts';

/** Editors write a file in several steps; a burst of events triggers one scan. */
const settleMs = 80;
/** For 50 ms, the watcher does not report further changes of a reported file. The margin is for inexact timers. */
const silentMs = 60;
/** The watcher reads a new folder before it watches it, and misses changes in between. These delays trigger extra scans. */
const newFolderDelayMs = 2000;
const newFolderScans = 3;
const pollMs = 2000;
const retryMs = 1000;

/**
 * Keeps a loaded catalogue up to date until `close` is called. Changes since the catalogue was loaded are found when the watcher
 * has read all folders.
 */
export function watchCatalogue(catalogue: Catalogue, log: Logger): { close(): Promise<void> } {
  /** Changed paths, with the time of the last event. */
  const pending = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  /** New folders, with the number of remaining extra scans. */
  const fresh = new Map<string, number>();
  let newFoldersTimer: NodeJS.Timeout | undefined;
  let closed = false;

  const watcher = watch([...catalogue.roots], {
    depth: 2,
    ignoreInitial: true,
    // Watch only manifests and the folders that lead to them: data and environments of a script may be huge.
    ignored: (path, stats) =>
      !catalogue.roots.includes(path) &&
      (isIgnoredFolder(basename(path)) || (stats?.isFile() === true && !mayBeManifest(basename(path)))),
  });
  watcher.on('all', (_event, path) => {
    pending.set(path, performance.now());
    timer ??= setTimeout(settle, settleMs);
  });
  watcher.on('addDir', (folder) => {
    if (levelOf(folder) > 2) return;
    fresh.set(folder, newFolderScans);
    newFoldersTimer ??= setTimeout(scanNewFolders, newFolderDelayMs);
  });
  watcher.on('error', (error) => {
    if (isWatchLimit(error)) startPolling(error);
    else log.warn({ err: error }, 'cannot watch a script folder');
  });
  // With many scripts, the watcher needs seconds until it reports changes. One more scan finds the changes until then.
  watcher.once('ready', () => {
    for (const root of catalogue.roots) pending.set(root, performance.now());
    timer ??= setTimeout(settle, settleMs);
    for (const folder of Object.keys(watcher.getWatched()))
      if (catalogue.roots.includes(folder) || levelOf(folder) === 1)
        fresh.set(folder, fresh.get(folder) ?? 1);
    clearTimeout(newFoldersTimer);
    void scanNewFolders();
  });

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(poll);
      clearTimeout(newFoldersTimer);
      await watcher.close();
      await work;
    },
  };

  function settle(): void {
    timer = undefined;
    const paths = [...pending.keys()];
    const now = performance.now();
    for (const [path, reportedAt] of pending) if (now - reportedAt >= silentMs) pending.delete(path);
    // A reported file may change again without an event, so it is scanned once more.
    if (pending.size > 0) timer = setTimeout(settle, settleMs);
    work = work
      .then(() => catalogue.refresh(paths))
      .catch((error: unknown) => {
        report(error);
        if (!isExhaustion(errnoOf(error)) || closed) return;
        for (const path of paths) pending.set(path, performance.now());
        timer ??= setTimeout(settle, retryMs);
      });
  }

  async function scanNewFolders(): Promise<void> {
    const folders = [...fresh.keys()];
    for (const [folder, scansLeft] of fresh) {
      if (scansLeft > 1) fresh.set(folder, scansLeft - 1);
      else fresh.delete(folder);
    }
    const watched = watcher.getWatched();
    const missed: string[] = [];
    await inParallel(folders, async (folder) => {
      const known = new Set(watched[folder]);
      // A root may itself be new.
      const mayBeGroup = levelOf(folder) <= 1;
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
        if (!known.has(entry.name) && (mayBeManifest(entry.name) || (mayBeGroup && mayHoldScript(entry))))
          missed.push(join(folder, entry.name));
    });
    if (closed) return;
    newFoldersTimer = fresh.size === 0 ? undefined : setTimeout(scanNewFolders, newFolderDelayMs);
    if (missed.length === 0) return;
    watcher.add(missed);
    for (const path of missed) pending.set(path, performance.now());
    timer ??= setTimeout(settle, settleMs);
  }

  /** Depth below its root; 0 for the root. */
  function levelOf(folder: string): number {
    const root = catalogue.roots.find((each) => folder.startsWith(each + sep));
    return root === undefined ? 0 : relative(root, folder).split(sep).length;
  }

  function startPolling(error: unknown): void {
    if (poll !== undefined || closed) return;
    log.warn(
      { err: error },
      'the system allows no more folder watches; polling all script folders every 2 s instead',
    );
    const look = () => {
      work = work
        .then(() => catalogue.refresh(catalogue.roots))
        .catch(report)
        .finally(() => {
          if (!closed) poll = setTimeout(look, pollMs);
        });
    };
    poll = setTimeout(look, pollMs);
  }

  function report(error: unknown): void {
    log.error({ err: error }, 'cannot scan the script folders');
  }
}

function mayHoldScript(entry: Dirent): boolean {
  return (entry.isDirectory() || entry.isSymbolicLink()) && !isIgnoredFolder(entry.name);
}

/** Whether a watch failed because of the system limit. */
function isWatchLimit(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOSPC' || errno === 'EMFILE';
}

/** Logs the number of scripts and their problems when `update` is called: at the start, and after each change. */
export class CatalogueReport {
  readonly #catalogue: Catalogue;
  readonly #log: Logger;
  #known = new Set<string>();
  #count: number | undefined;
  #faultyFiles = 0;

  constructor(catalogue: Catalogue, log: Logger) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  /** Usable scripts and faulty files at the last update. */
  get counts(): { scripts: number; faultyFiles: number } {
    return { scripts: this.#count ?? 0, faultyFiles: this.#faultyFiles };
  }

  async update(): Promise<void> {
    const errors = (await this.#catalogue.problems()).filter(({ severity }) => severity === 'error');
    const places = new Set<string>();
    for (const { file, line, message, advice } of errors) {
      const place = line === null ? file : `${file}:${line}`;
      const text = `${place}: ${message.en}. ${advice.en}`;
      places.add(text);
      if (!this.#known.has(text)) this.#log.warn(text);
    }
    this.#known = places;
    this.#faultyFiles = new Set(errors.map(({ file }) => file)).size;
    const count = this.#catalogue.scripts().length;
    if (count !== this.#count) this.#log.info({ scripts: count }, 'scripts loaded');
    this.#count = count;
  }
}
