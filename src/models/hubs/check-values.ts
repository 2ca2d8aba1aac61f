import { brief } from '../../shared/brief.ts';
import { AppError } from '../../shared/errors.ts';
import { findClash, foldsCase, isSafePath } from './check-paths.ts';
import type { HubFile } from './hub.ts';
import { badAnswer } from './hub-errors.ts';

/** More than any hub recommends for one repo. */
export const mostFiles = 100_000;

export function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

export function isGitSha(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
}

/** The error for a list with an invalid value. The whole list is refused. */
export function badEntry(host: string, what: string, path: unknown, value: unknown): AppError {
  return badAnswer(host, {
    en: `lists a file ${brief(path)} with an invalid ${what}: ${brief(value)}`,
    zh: `列出的文件 ${brief(path)} 的 ${what} 无效：${brief(value)}`,
  });
}

export function checkPath(host: string, path: unknown): string {
  if (isSafePath(path)) return path;
  throw badAnswer(host, {
    en: `lists a file with a path that Hob does not accept: ${brief(path)}`,
    zh: `列出的文件路径不被接受：${brief(path)}`,
  });
}

/** Checks the files of a list together: count, conflicting paths and total size. */
export function checkFiles(host: string, files: readonly HubFile[]): void {
  if (files.length > mostFiles) throw tooMany(host);
  const found = findClash(
    files.map(({ path }) => path),
    { foldsCase: foldsCase() },
  );
  if (found !== null) throw badAnswer(host, found);
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (!Number.isSafeInteger(total))
    throw badAnswer(host, { en: 'lists an impossible total size', zh: '列出的文件总大小无效' });
}

export function tooMany(host: string): AppError {
  return badAnswer(host, {
    en: `lists too many files (more than ${mostFiles})`,
    zh: `列出的文件过多（超过 ${mostFiles}）`,
  });
}

/** Checks a branch, tag or commit from a request. It becomes a path, so it must be safe as one. */
export function checkRevision(revision: string): string {
  if (isSafePath(revision) && revision.length <= 200) return revision;
  throw new AppError(
    'hub-not-found',
    {
      en: `${brief(revision)} is not a valid revision.`,
      zh: `${brief(revision)} 不是有效的版本名。`,
    },
    {
      hint: {
        en: 'A revision is a branch, a tag or a commit, such as main or v1.0.',
        zh: '版本是分支、标签或提交，例如 main 或 v1.0。',
      },
    },
  );
}
