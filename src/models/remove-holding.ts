import { randomBytes } from 'node:crypto';
import { readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AppError, errnoOf } from '../shared/errors.ts';
import { removeFolder } from '../shared/remove-folder.ts';
import type { Holding } from './places/place.ts';
import { formatRepoId, type RepoId } from './repo-id.ts';

/** Prefix of folders that are being removed. No repo can have such a name. */
const aside = '.hob-removing-';

/** Removes a repo from a place. Renames the folder first, so that a partly removed model is never found. */
export async function removeHolding(repo: RepoId, { folder, link }: Holding): Promise<void> {
  const parent = dirname(folder);
  try {
    await rename(folder, join(parent, aside + randomBytes(6).toString('hex')));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') throw notHere(repo);
    if (errno === undefined) throw error;
    throw notPermitted(repo, folder, errno, error);
  }
  // The link is broken now.
  if (link !== null) await unlink(link).catch(() => {});
  // Also finish earlier removals that were interrupted.
  const names = await readdir(parent);
  for (const name of names) if (name.startsWith(aside)) await removeFolder(join(parent, name));
  // Remove the owner's folder if it is empty. Otherwise `rmdir` fails, and the folder stays.
  if (basename(parent) === repo.owner) await rmdir(parent).catch(() => {});
}

export function notHere(repo: RepoId): AppError {
  const id = formatRepoId(repo);
  return new AppError('model-not-downloaded', {
    en: `The model ${id} is not on this machine.`,
    zh: `本机没有模型 ${id}`,
  });
}

export function beingDownloaded(repo: RepoId): AppError {
  const id = formatRepoId(repo);
  return new AppError(
    'model-downloading',
    { en: `The model ${id} is being downloaded.`, zh: `模型 ${id} 正在下载` },
    { hint: { en: 'Cancel the download, or wait for its end.', zh: '请先取消下载，或等待下载结束。' } },
  );
}

/** The error for a model in a folder from which Hob removes nothing. */
export function notOurs(repo: RepoId, folder: string): AppError {
  const id = formatRepoId(repo);
  return new AppError(
    'model-not-removable',
    {
      en: `The model ${id} is in ${folder}, inside a folder of the setting model_folders, from which Hob removes nothing.`,
      zh: `模型 ${id} 位于 ${folder}，属于 model_folders 设置中的文件夹，Hob 不会删除其中的内容`,
    },
    { hint: { en: 'Remove that folder yourself.', zh: '请自行删除该文件夹。' } },
  );
}

function notPermitted(repo: RepoId, folder: string, errno: string, cause: unknown): AppError {
  const id = formatRepoId(repo);
  return new AppError(
    'model-not-removable',
    {
      en: `The model ${id} in ${folder} cannot be removed (${errno}). Nothing was changed.`,
      zh: `无法删除 ${folder} 中的模型 ${id}（${errno}），未做任何更改`,
    },
    {
      cause,
      hint: {
        en: 'Make sure that you can write to the folder that contains it, and that no program has it open.',
        zh: '请检查是否有写入权限，以及是否有程序正在使用它。',
      },
    },
  );
}
