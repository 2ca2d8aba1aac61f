import { randomBytes } from 'node:crypto';
import { chmod, lstat, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { errnoOf } from './errors.ts';
import { folderEntries } from './folder-entries.ts';

/** How often emptying a folder is repeated. A process that a script left running may still write to it. */
const mostRepeats = 3;

const foldersAtOnce = 4;

/**
 * Removes the entry at a path: a folder with all its content, or any other entry. Links are removed, never followed.
 *
 * It is made for folders of scripts, which may contain anything. It processes a few entries at a time, so that other
 * work is hardly delayed. It moves deep folders up before it removes them, so that no path exceeds the limit of the
 * system. It unlocks folders that their owner has locked. It continues after an entry that cannot be removed, and
 * rejects with the first such error. The signal stops it between two steps.
 */
export async function removeFolder(path: string, signal?: AbortSignal): Promise<void> {
  const found = await unlessGone(lstat(path));
  if (found === undefined) return;
  if (!found.isDirectory()) {
    await unlessGone(unlink(path));
    return;
  }
  let failure: unknown;
  const attempt = async (work: Promise<unknown>) => {
    await unlessGone(work).catch((error: unknown) => {
      // A folder that is not empty yet is tried again.
      if (errnoOf(error) !== 'ENOTEMPTY') failure ??= error;
    });
  };
  const prefix = join(path, `.removing-${randomBytes(6).toString('hex')}-`);
  let tried = 0;
  let pulledUp = 0;
  const pullUp = async (inner: string) => {
    if (await isRemoved(inner)) return;
    const target = `${prefix}${tried++}`;
    try {
      await permitted([dirname(inner), inner], () => rename(inner, target));
      pulledUp++;
    } catch {
      // A full disk may have no space for another name. In that case the folder is removed in place, as deep as
      // possible.
      await removeInner(inner);
    }
  };
  const removeInner = async (inner: string) => {
    if (await isRemoved(inner)) return;
    const parent = dirname(inner);
    await attempt(permitted([parent, inner], () => empty(inner, pullUp)));
    await permitted([parent], () => rmdir(inner));
  };
  const empty = async (folder: string, takeFolder: (inner: string) => Promise<void>) => {
    for await (const entries of folderEntries(folder, signal)) {
      const files = entries.filter((entry) => !entry.isDirectory());
      await Promise.all(
        files.map(({ name }) => attempt(permitted([folder], () => unlink(join(folder, name))))),
      );
      const folders = entries.filter((entry) => entry.isDirectory());
      for (let at = 0; at < folders.length; at += foldersAtOnce) {
        const some = folders.slice(at, at + foldersAtOnce);
        await Promise.all(some.map(({ name }) => attempt(takeFolder(join(folder, name)))));
      }
    }
  };
  for (let repeats = 0; ; ) {
    const remains = await rmdir(path).catch((error: unknown) => error);
    if (remains === undefined || errnoOf(remains) === 'ENOENT') return;
    if (repeats > (failure === undefined ? mostRepeats : 0)) throw failure ?? remains;
    const before = pulledUp;
    await attempt(permitted([path], () => empty(path, removeInner)));
    signal?.throwIfAborted();
    if (pulledUp === before) repeats++;
  }
}

/**
 * Performs work in folders that their user may have locked, and unlocks them if necessary. A link is left alone. If a
 * folder becomes a link after the check, a folder of the same user is unlocked.
 */
export async function permitted<Result>(
  folders: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'EACCES' && errno !== 'EPERM') throw error;
    for (const folder of folders) await unlock(folder);
    return work();
  }
}

async function unlock(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  // The next attempt of the work reports any other obstacle.
  if (found?.isDirectory()) await chmod(folder, (found.mode & 0o7777) | 0o700).catch(() => {});
}

/** Removes a folder if it is empty, which many are. */
async function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

async function unlessGone<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
