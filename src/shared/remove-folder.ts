import { randomBytes } from 'node:crypto';
import { chmod, lstat, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { errnoOf } from './errors.ts';
import { folderEntries } from './folder-entries.ts';

/** A process that a script left may go on writing: so often it is tried again to empty a folder that fills up meanwhile. */
const mostRepeats = 3;

const foldersAtOnce = 4;

/**
 * Removes what is at a path: a folder with all that is in it, or whatever else is there. Links are removed, never followed.
 *
 * Made for folders of scripts, in which there may be anything: a few entries at a time, so that others are hardly held up; what
 * is deep is pulled up before it is removed, so that no path gets longer than the system allows; and what its owner has locked is
 * unlocked. It goes on after what cannot be removed, and rejects with the first of those errors. The signal ends it in between.
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
      // What is not empty yet is tried again.
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
      // A full disk may have no room for another name: where it is, then, as deep as that goes.
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
 * Does something in folders that the user may have locked for himself, in which case they are unlocked. What is a link by now is
 * left alone; that it becomes one after it was looked at is possible, and then a folder of the same user is unlocked.
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
  // What else is in the way shows when the work is tried again.
  if (found?.isDirectory()) await chmod(folder, (found.mode & 0o7777) | 0o700).catch(() => {});
}

/** Removes a folder if it is empty, as many are. */
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
