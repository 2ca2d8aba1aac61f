import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

import { watch } from 'chokidar';

import { errnoOf, isExhaustion } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import type { Catalogue } from './catalogue.ts';
import { mayBeManifest } from './load-folder.ts';
import { inParallel, isIgnoredFolder } from './script-folders.ts';

/** Editors write a file in several steps; a burst of events becomes one look. */
const settleMs = 80;
/** For 50 ms the watcher keeps to itself what else becomes of a file that it has told of. Timers are not exact. */
const silentMs = 60;
/** The watcher reads a new folder before it watches it, and says nothing of what comes in between: that is looked for, a few times. */
const behindMs = 2000;
const looksBehind = 3;
const pollMs = 2000;
const retryMs = 1000;

/** Fills the catalogue, and keeps it true to the disk until `close` is called. */
export async function watchCatalogue(catalogue: Catalogue, log: Logger): Promise<{ close(): Promise<void> }> {
  /** What has changed, and when that was last told. */
  const pending = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  /** Folders that are new, and how often they are still to be looked at for what was missed. */
  const fresh = new Map<string, number>();
  let behind: NodeJS.Timeout | undefined;
  let closed = false;

  const watcher = watch([...catalogue.roots], {
    depth: 2,
    ignoreInitial: true,
    // Only manifests and the folders on the way to them: a script's data and environments may be any size.
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
    fresh.set(folder, looksBehind);
    behind ??= setTimeout(lookBehind, behindMs);
  });
  watcher.on('error', (error) => {
    if (isWatchLimit(error)) startPolling(error);
    else log.warn({ err: error }, 'cannot watch a script folder');
  });
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  // Only now: what changes after this look is an event, so that nothing can slip through between the two.
  await catalogue.load();

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(poll);
      clearTimeout(behind);
      await watcher.close();
      await work;
    },
  };

  function settle(): void {
    timer = undefined;
    const paths = [...pending.keys()];
    const now = performance.now();
    for (const [path, told] of pending) if (now - told >= silentMs) pending.delete(path);
    // What was told of a moment ago may change again without another word: it is looked at once more.
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

  async function lookBehind(): Promise<void> {
    const folders = [...fresh.keys()];
    for (const [folder, looks] of fresh) {
      if (looks > 1) fresh.set(folder, looks - 1);
      else fresh.delete(folder);
    }
    const watched = watcher.getWatched();
    const missed: string[] = [];
    await inParallel(folders, async (folder) => {
      const known = new Set(watched[folder]);
      // A root may be new itself.
      const mayBeGroup = levelOf(folder) <= 1;
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
        if (!known.has(entry.name) && (mayBeManifest(entry.name) || (mayBeGroup && mayHoldScript(entry))))
          missed.push(join(folder, entry.name));
    });
    if (closed) return;
    behind = fresh.size === 0 ? undefined : setTimeout(lookBehind, behindMs);
    if (missed.length === 0) return;
    watcher.add(missed);
    for (const path of missed) pending.set(path, performance.now());
    timer ??= setTimeout(settle, settleMs);
  }

  /** How many folders below its root it is; 0 for the root. */
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

/** Whether a watch failed because the machine allows no more of them. */
function isWatchLimit(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOSPC' || errno === 'EMFILE';
}
