import { brief } from '../../shared/brief.ts';
import type { Text } from '../../shared/text.ts';

const longestPathBytes = 1024;
const longestNameBytes = 240;
const mostFolders = 16;
const windowsDevice = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\s*\..*)?$/i;
/** Control characters, halves of characters, and what separates lines. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Whether a path from a server is relative, goes down only, and means the same on every system. Nothing is mended: it is that or refused. */
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
    // Covers `.` and `..`, and what Windows would cut off.
    !/[. ]$/.test(name) &&
    !(process.platform === 'win32' && /[<>:"|?*]/.test(name)) &&
    !windowsDevice.test(name) &&
    Buffer.byteLength(name) <= longestNameBytes
  );
}

interface ClashOptions {
  /** Whether the disk takes two spellings of a name for one. */
  readonly foldsCase: boolean;
}

/** What keeps these files from lying beside each other: one twice, or one where another needs a folder. Null when nothing does. */
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

/** Disks of these systems ignore capitals, unless somebody went out of his way. */
export function foldsCase(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32' || platform === 'darwin';
}
