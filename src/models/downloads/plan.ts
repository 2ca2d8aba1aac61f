import { lstat, statfs } from 'node:fs/promises';

import { brief } from '../../shared/brief.ts';
import { AppError } from '../../shared/errors.ts';
import { compileGlobs } from '../glob.ts';
import type { HubFile, RepoListing } from '../hubs/hub.ts';
import { formatRepoId } from '../repo-id.ts';
import type { DownloadRequest } from './download.ts';
import type { Layout } from './layout.ts';

/** Disk space to leave free for other programs. */
const reserveBytes = 16 * 1024 * 1024;
const mostNamed = 10;

/** Selects the files that match the request. Throws if there are none. */
export function chooseFiles({ files }: RepoListing, { files: globs, repo }: DownloadRequest): HubFile[] {
  const matches = compileGlobs(globs);
  const chosen = files.filter(({ path }) => matches(path));
  if (chosen.length > 0) return chosen;
  const names = files.slice(0, mostNamed).map(({ path }) => brief(path));
  const more = files.length > names.length ? ', …' : '';
  const id = formatRepoId(repo);
  const asked = globs.map((glob) => brief(glob)).join(', ');
  throw new AppError(
    'download-nothing-matches',
    globs.length === 0
      ? { en: `${id} has no files.`, zh: `${id} 没有文件。` }
      : {
          en: `No file of ${id} matches ${asked}.`,
          zh: `${id} 中没有与 ${asked} 匹配的文件。`,
        },
    {
      hint: {
        en: files.length === 0 ? 'Check the repo and the revision.' : `Its files: ${names.join(', ')}${more}`,
        zh: files.length === 0 ? '请检查模型和版本。' : `其中有 ${names.join('、')}${more}`,
      },
    },
  );
}

/** The files to fetch: each content once, largest first, because large files take the longest. */
export function planFetches(files: readonly HubFile[], layout: Layout): HubFile[] {
  const byContent = new Map(files.map((file) => [layout.contentKey(file), file]));
  return [...byContent.values()].sort((a, b) => b.sizeBytes - a.sizeBytes);
}

/** Throws if the disk has not enough space for the files. Partial data that is already on the disk needs none. */
export async function checkSpace(files: readonly HubFile[], layout: Layout): Promise<void> {
  let neededBytes = 0;
  for (const file of files) {
    const partial = await lstat(layout.partialOf(file)).catch(() => null);
    neededBytes += Math.max(0, file.sizeBytes - (partial?.isFile() ? partial.size : 0));
  }
  if (neededBytes === 0) return;
  const { bavail, bsize } = await statfs(layout.folder);
  const freeBytes = bavail * bsize;
  if (neededBytes + reserveBytes > freeBytes) throw noSpace(layout.folder, neededBytes, freeBytes);
}

/** The sizes are unknown if the disk becomes full during a download. */
export function noSpace(folder: string, neededBytes?: number, freeBytes?: number): AppError {
  const isCounted = neededBytes !== undefined && freeBytes !== undefined;
  const figures = isCounted
    ? {
        en: `: ${inMebibytes(neededBytes)} MiB needed, ${inMebibytes(freeBytes)} MiB free`,
        zh: `：需要 ${inMebibytes(neededBytes)} MiB，可用 ${inMebibytes(freeBytes)} MiB`,
      }
    : { en: '', zh: '' };
  return new AppError(
    'resources-exhausted',
    {
      en: `Not enough space on the disk of ${folder}${figures.en}.`,
      zh: `${folder} 所在磁盘空间不足${figures.zh}。`,
    },
    {
      retryAfterS: 60,
      hint: {
        en: 'Free some space or select fewer files, then start the download again. Hob keeps the received data.',
        zh: '请释放空间或减少要下载的文件，然后重新下载；已下载的部分会保留。',
      },
    },
  );
}

function inMebibytes(bytes: number): string {
  return Math.ceil(bytes / 2 ** 20).toLocaleString('en');
}
