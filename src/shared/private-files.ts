import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

import { errnoOf } from './errors.ts';
import { ExplainedError } from './explained-error.ts';

/** The part of a mode that is about everybody but the owner. */
export const forOthers = 0o077;

const writeSoon = promisify(writeFile);
const syncSoon = promisify(fsync);
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Makes a folder that only its user can look into. The folder must not exist yet unless `existing` is allowed. */
export async function makePrivateFolder(path: string, { existing = false } = {}): Promise<void> {
  mkdirSync(path, { mode: 0o700, recursive: existing });
}

/** Up to here a file is written sooner than a thread is asked to write it. */
const smallLength = 64 * 1024;

/** Writes a new file that only its user can read. `durable` waits until it is on the disk. */
export async function writePrivateFile(
  path: string,
  content: string,
  { durable = false } = {},
): Promise<void> {
  const handle = openSync(path, createFlags, 0o600);
  try {
    if (content.length <= smallLength) writeFileSync(handle, content);
    else await writeSoon(handle, content);
    if (durable) await syncSoon(handle);
  } finally {
    closeSync(handle);
  }
}

/** Something else has the place of a file of ours. */
export class NotAFileError extends ExplainedError {
  constructor(path: string) {
    super({
      en: `${path} is not a file; links are not followed there. Remove it, or choose another home with --home.`,
      zh: `${path} 不是文件（此处不跟随链接）。请将其删除，或用 --home 指定其他数据目录。`,
    });
    this.name = 'NotAFileError';
  }
}

/**
 * Makes sure that a file which a library is about to open is there, and private from its first moment on: what the library makes
 * itself is as open as the user's mask lets it. A file that exists is not opened, for closing it again would take away the locks that
 * this process may have on it.
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

/** Replaces a private file in one step: a reader sees the old content or the new, never half of one. */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  await putInPlace(path, content, (draft) => rename(draft, path));
}

/** Makes a private file in one step, unless there is one already: then it fails with EEXIST. */
export async function createPrivateFile(path: string, content: string): Promise<void> {
  const put = async (draft: string) => {
    await link(draft, path);
    await rm(draft, { force: true });
  };
  await putInPlace(path, content, put);
}

async function putInPlace(
  path: string,
  content: string,
  put: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writePrivateFile(draft, content);
    await put(draft);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
