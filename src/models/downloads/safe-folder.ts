import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, errnoOf } from '../../shared/errors.ts';

/**
 * Creates a folder and its parents below a root, and checks that each is a folder and not a link. So a link that was planted in
 * the cache cannot redirect writes to the outside. The root itself may be a link, because the user chose it.
 */
export async function ensureFolder(root: string, ...names: readonly string[]): Promise<string> {
  let folder: string;
  try {
    await mkdir(root, { recursive: true });
    folder = await realpath(root);
    for (const name of names) {
      folder = join(folder, name);
      await mkdir(folder).catch((error: unknown) => {
        if (errnoOf(error) !== 'EEXIST') throw error;
      });
      if (!(await lstat(folder)).isDirectory()) throw notAFolder(folder);
    }
  } catch (error) {
    throw unusable(root, error);
  }
  return folder;
}

const readWrite = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

/** Opens an existing partial file, or creates one. A link, or a file with several names, is replaced. */
export async function openPartial(path: string): Promise<FileHandle> {
  for (;;) {
    const create = () => open(path, readWrite | constants.O_CREAT | constants.O_EXCL, 0o666);
    const handle = await open(path, readWrite).catch((error: unknown) => {
      const errno = errnoOf(error);
      if (errno === 'ENOENT' || errno === 'ELOOP' || errno === 'EMLINK') return null;
      throw error;
    });
    if (handle === null) {
      await unlink(path).catch(() => {});
      return create();
    }
    const stats = await handle.stat();
    // The other name could belong to a file outside the cache.
    if (stats.isFile() && stats.nlink === 1) return handle;
    await handle.close();
    await unlink(path);
  }
}

/**
 * Atomically writes a file and syncs it to disk. The temporary file always has the same name, so one that a killed process left is
 * replaced by the next. The repo lock ensures that only one process uses it.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.hob.tmp`;
  await rm(draft, { force: true });
  try {
    const handle = await open(draft, 'wx', 0o666);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function notAFolder(folder: string): AppError {
  return new AppError('download-cache-unusable', {
    en: `${folder} is a link or not a folder, so Hob does not write to it.`,
    zh: `${folder} 是链接或不是文件夹，不会写入。`,
    hint: { en: 'Remove it, and start the download again.', zh: '请将其删除后重新下载。' },
  });
}

function gone(folder: string, cause: unknown): AppError {
  return new AppError('download-cache-unusable', {
    en: `${folder}, or a file in it, was removed or is a broken link.`,
    zh: `${folder} 或其中的内容已不存在，或是无效的链接。`,
    cause,
    hint: {
      en: 'If another program removed it, start the download again when that program has finished.',
      zh: '如果是其他程序删除了它，请在其结束后重新下载。',
    },
  });
}

const unwritable = new Set([
  'EACCES',
  'EPERM',
  'ENOTDIR',
  'EROFS',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTEMPTY',
  'EBUSY',
  'EIO',
]);

/** Converts an errno into an AppError about the folder. Returns other errors unchanged. */
export function unusable(folder: string, error: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof AppError || errno === undefined) return error;
  if (errno === 'ENOENT') return gone(folder, error);
  if (!unwritable.has(errno)) return error;
  return new AppError('download-cache-unusable', {
    en: `${folder} cannot be written to (${errno}).`,
    zh: `无法写入 ${folder}（${errno}）。`,
    cause: error,
    hint: {
      en: 'Make sure that Hob has permission to write there and that no other file is in the way, or choose another folder with HF_HUB_CACHE or MODELSCOPE_CACHE.',
      zh: '请确认 Hob 有写入权限且没有同名文件，或用 HF_HUB_CACHE / MODELSCOPE_CACHE 选择其他位置。',
    },
  });
}
