import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { link, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

import { ExplainedError, errnoOf } from './errors.ts';
import { syncFolder } from './sync-folder.ts';
import type { Text } from './text.ts';

/** The permission bits for the group and for others. */
export const forOthers = 0o077;

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Creates a folder that only its user can access. It rejects if the folder exists, unless `existing` is true. */
export async function makePrivateFolder(path: string, { existing = false } = {}): Promise<void> {
  mkdirSync(path, { mode: 0o700, recursive: existing });
}

/**
 * Writes a new file that only its user can read. With `durable` it resolves when the content is on the disk. A write takes microseconds,
 * less than a thread would take to begin it; only the disk is waited for in a thread.
 */
export async function writePrivateFile(
  path: string,
  content: string,
  { durable = false } = {},
): Promise<void> {
  const fd = openSync(path, createFlags, 0o600);
  try {
    writeFileSync(fd, content);
    if (durable) await promisify(fsync)(fd);
  } finally {
    closeSync(fd);
  }
}

/** Thrown if the entry at the path of one of Hob's files is not a regular file. */
export class NotAFileError extends ExplainedError {
  constructor(path: string) {
    super({
      en: `${path} is not a regular file; links are not allowed here. Remove it, or choose another home with --home.`,
      zh: `${path} 不是文件（此处不跟随链接）。请将其删除，或用 --home 指定其他数据目录。`,
    });
    this.name = 'NotAFileError';
  }
}

/**
 * Creates a private file for a library to open: a file that the library creates itself gets the permissions of the umask. An existing
 * file is not opened, because closing it would release the locks that this process holds on it.
 */
export function claimPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, createFlags, 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    const found = lstatSync(path);
    if (!found.isFile()) throw new NotAFileError(path);
    if ((found.mode & forOthers) !== 0) chmodSync(path, 0o600);
  }
}

/**
 * Replaces a private file atomically: a reader sees the old content or the new, never a part. With `durable` it resolves when the new
 * content is on the disk.
 */
export async function replacePrivateFile(
  path: string,
  content: string,
  { durable = false } = {},
): Promise<void> {
  await putInPlace({ path, content, durable }, (draft) => rename(draft, path));
}

/** Creates a private file atomically. It rejects with EEXIST if the file exists. */
export async function createPrivateFile(
  path: string,
  content: string,
  { durable = false } = {},
): Promise<void> {
  const put = async (draft: string) => {
    await link(draft, path);
    await rm(draft, { force: true });
  };
  await putInPlace({ path, content, durable }, put);
}

async function putInPlace(
  { path, content, durable }: { path: string; content: string; durable: boolean },
  put: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writePrivateFile(draft, content, { durable });
    await put(draft);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (durable) await syncFolder(dirname(path));
}

/** Removes what a killed process left of its attempt to replace a file. Call it while no other process writes the file. */
export async function removeDrafts(path: string): Promise<void> {
  const draft = /^\.[0-9a-f]{12}$/;
  const name = basename(path);
  for (const entry of await readdir(dirname(path)))
    if (entry.startsWith(name) && draft.test(entry.slice(name.length)))
      await rm(join(dirname(path), entry), { force: true });
}

/** Why a file with secret content cannot be used. */
export class PrivateFileFault extends ExplainedError {}

/**
 * Reads a file that only its user may read. Null if it is missing. Throws a `PrivateFileFault` if another user may have read or written
 * it. A link is not followed, and a FIFO does not block.
 */
export function readPrivateFile(path: string, { maxBytes }: { maxBytes: number }): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw errnoOf(error) === 'ELOOP'
      ? new PrivateFileFault({ en: 'is a link', zh: '是链接' })
      : unreadable(error);
  }
  try {
    const found = fstatSync(descriptor);
    const fault = faultOf(found);
    if (fault !== null) throw new PrivateFileFault(fault);
    if (found.size > maxBytes)
      throw new PrivateFileFault({
        en: `is larger than ${maxBytes} bytes`,
        zh: `超过 ${maxBytes} 字节`,
      });
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    throw error instanceof PrivateFileFault ? error : unreadable(error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(error: unknown): PrivateFileFault {
  return new PrivateFileFault({
    en: `cannot be read (${errnoOf(error)})`,
    zh: `无法读取（${errnoOf(error)}）`,
  });
}

/** Returns why other users may have read or written a file; null if they cannot. */
function faultOf(found: Stats): Text | null {
  if (!found.isFile()) return { en: 'is not a regular file', zh: '不是文件' };
  if (process.geteuid === undefined) return null;
  if (found.uid !== process.geteuid() && found.uid !== 0)
    return { en: 'belongs to another user', zh: '属于其他用户' };
  if ((found.mode & forOthers) === 0) return null;
  return { en: 'can be read by other users', zh: '可以被所有者以外的用户读取' };
}

/**
 * Whether the folder of a run is still a folder. A script may have replaced it by a link, and through that link Hob
 * would read, write or remove files of others. Call it directly before each use. A script that outlives its run can
 * still create a link in between, but reaches only what its user can reach anyway. A synchronous check takes
 * microseconds, less than one in a thread.
 */
export function isOwnFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

export type Confined = 'ok' | 'outside' | 'missing' | 'not-a-file';

/**
 * Checks that a path from a manifest names a file inside the script's folder, after all symbolic links are resolved.
 * Synchronous, because it precedes every run and takes microseconds, less than one request to a thread.
 */
export function confine(folder: string, written: string): Confined {
  const path = insideOf(folder, written);
  if (path === null) return 'outside';
  try {
    const real = realPathInside(folder, path);
    if (real === null) return 'outside';
    return statSync(real).isFile() ? 'ok' : 'not-a-file';
  } catch {
    return 'missing';
  }
}

/** Returns the real path of such a file; null if it is missing, not a file or outside the folder. */
export function realFileInside(folder: string, written: string): string | null {
  const path = insideOf(folder, written);
  if (path === null) return null;
  try {
    return realPathInside(folder, path);
  } catch {
    return null;
  }
}

function realPathInside(folder: string, path: string): string | null {
  const real = realpathSync.native(path);
  // Then no part of the path is a link, and none of the folder's.
  if (real === path) return real;
  return escapes(relative(realpathSync.native(folder), real)) ? null : real;
}

/** The path as written, or null if it leads out of the folder. */
function insideOf(folder: string, written: string): string | null {
  // A path written on Windows must not name another file elsewhere.
  const path = written.replaceAll('\\', '/');
  const isForeign = isAbsolute(path) || /^[a-zA-Z]:/.test(path) || path.includes('\0');
  const whole = join(folder, path);
  return isForeign || escapes(relative(folder, whole)) ? null : whole;
}

function escapes(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}
