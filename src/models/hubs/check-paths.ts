import { brief } from '../../shared/brief.ts';
import type { Text } from '../../shared/text.ts';

const longestPathBytes = 1024;
const longestNameBytes = 240;
const mostFolders = 16;
const windowsDevice = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\s*\..*)?$/i;
/** Control characters, lone surrogates and line separators. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

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

interface ClashOptions {
  /** Whether the disk ignores case and Unicode normalization in names. */
  readonly foldsCase: boolean;
}

/** Describes why these files cannot exist together: a duplicate, or a file where another needs a folder. Null if they can. */
export function findClash(paths: readonly string[], { foldsCase }: ClashOptions): Text | null {
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
