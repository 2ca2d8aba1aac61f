import { brief } from '../../shared/brief.ts';
import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { HubFile } from './hub.ts';
import { badAnswer } from './hub-errors.ts';

const longestPathBytes = 1024;
const longestNameBytes = 240;
const mostFolders = 16;
const windowsDevice = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\s*\..*)?$/i;

/** Control characters, lone surrogates and line separators. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

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
  const paths = files.map(({ path }) => path);
  const found = findClash(paths, { foldsCase: foldsCase() });
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
  throw new AppError('hub-not-found', {
    en: `${brief(revision)} is not a valid revision.`,
    zh: `${brief(revision)} 不是有效的版本名。`,
    hint: {
      en: 'A revision is a branch, a tag or a commit, such as main or v1.0.',
      zh: '版本是分支、标签或提交，例如 main 或 v1.0。',
    },
  });
}

/**
 * Whether a path from a server is relative, never leads upwards, and means the same on every system. Other paths are refused,
 * not corrected.
 */
export function isSafePath(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > longestPathBytes) return false;
  if (Buffer.byteLength(path) > longestPathBytes || unprintable.test(path) || path.includes('\\'))
    return false;
  const names = path.split('/');
  return names.length <= mostFolders && names.every(isSafeName);
}

function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    // Excludes `.`, `..`, and trailing dots and spaces, which Windows removes.
    !/[. ]$/.test(name) &&
    !(process.platform === 'win32' && /[<>:"|?*]/.test(name)) &&
    !windowsDevice.test(name) &&
    Buffer.byteLength(name) <= longestNameBytes
  );
}

/**
 * Describes why these files cannot exist together: a duplicate, or a file where another needs a folder. Null if they can. `foldsCase`:
 * the disk ignores case and Unicode normalization in names.
 */
export function findClash(paths: readonly string[], { foldsCase }: { foldsCase: boolean }): Text | null {
  const nameOnDisk = (path: string) => (foldsCase ? path.normalize('NFC').toLowerCase() : path);
  const files = new Set<string>();
  for (const path of paths) {
    const name = nameOnDisk(path);
    if (files.has(name)) return clash(path);
    files.add(name);
  }
  for (const path of paths) {
    const name = nameOnDisk(path);
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1))
      if (files.has(name.slice(0, at))) return clash(path);
  }
  return null;
}

function clash(path: string): Text {
  return {
    en: `lists ${brief(path)}, which conflicts with another of its files`,
    zh: `列出的 ${brief(path)} 与另一个文件冲突`,
  };
}

/** Disks of these systems ignore case by default. */
export function foldsCase(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32' || platform === 'darwin';
}
