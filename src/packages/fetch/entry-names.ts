import { splitPath } from './check-name.ts';
import type { FetchLimits } from './fetch-limits.ts';
import { tooLarge, unsafe } from './package-errors.ts';
import { showName } from './show-name.ts';

export type EntryKind = 'file' | 'folder';

interface Known {
  /** The first spelling. */
  readonly path: string;
  readonly kind: EntryKind;
}

/**
 * All names of a package. No two names may refer to the same file on any system: Windows and macOS ignore case, and macOS treats
 * both Unicode forms of é as equal. Every name counts, including folders that occur only in paths.
 */
export class EntryNames {
  readonly #limits: FetchLimits;
  readonly #known = new Map<string, Known>();

  constructor(limits: FetchLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#known.size;
  }

  /** Registers an entry and returns its names; none for the package itself. Throws if it is not allowed. */
  claim(path: string, kind: EntryKind): string[] {
    const names = splitPath(path);
    this.#checkLengths(path, names);
    let key = '';
    for (const [index, name] of names.entries()) {
      key = `${key}/${foldName(name)}`;
      const isLast = index === names.length - 1;
      this.#enter(key, names.slice(0, index + 1).join('/'), isLast ? kind : 'folder');
    }
    return names;
  }

  #enter(key: string, path: string, kind: EntryKind): void {
    const known = this.#known.get(key);
    if (known === undefined) {
      this.#known.set(key, { path, kind });
      if (this.#known.size > this.#limits.entries) throw tooManyEntries(path, this.#limits.entries);
      return;
    }
    if (known.path !== path) throw sameFile(known.path, path);
    if (known.kind !== kind) throw fileAndFolder(path);
    // A folder may occur several times.
    if (kind === 'file') throw twice(path);
  }

  #checkLengths(path: string, names: readonly string[]): void {
    const { depth, nameBytes, pathBytes } = this.#limits;
    if (names.length > depth) {
      throw tooLarge(
        {
          en: `The entry ${showName(path)} is ${names.length} folders deep; the limit is ${depth}`,
          zh: `条目 ${showName(path)} 有 ${names.length} 层，最多允许 ${depth} 层`,
        },
        shorter,
      );
    }
    const long = names.find((name) => Buffer.byteLength(name) > nameBytes);
    if (long === undefined && Buffer.byteLength(names.join('/')) <= pathBytes) return;
    throw tooLarge(
      long === undefined
        ? {
            en: `The path ${showName(path)} is longer than ${pathBytes} bytes`,
            zh: `路径 ${showName(path)} 超过 ${pathBytes} 字节`,
          }
        : {
            en: `The name ${showName(long)} is longer than ${nameBytes} bytes`,
            zh: `名称 ${showName(long)} 超过 ${nameBytes} 字节`,
          },
      shorter,
    );
  }
}

/** Upper case first, so that letters such as σ and ς become equal. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

const shorter = { en: 'Shorten the names, or use fewer nested folders.', zh: '请缩短名称或减少文件夹层数。' };

export function tooManyEntries(path: string, most: number) {
  return tooLarge(
    {
      en: `The package has more than ${most} files and folders; the first one over the limit is ${showName(path)}`,
      zh: `包中的文件和文件夹超过 ${most} 个，首个超出的是 ${showName(path)}`,
    },
    {
      en: 'Remove files that the script does not need, such as environments and caches.',
      zh: '请去掉脚本不需要的内容，例如运行环境和缓存。',
    },
  );
}

function sameFile(first: string, second: string) {
  return unsafe(
    {
      en: `${showName(first)} and ${showName(second)} are the same file on some machines`,
      zh: `${showName(first)} 与 ${showName(second)} 在某些系统上是同一个文件`,
    },
    { en: 'Rename one of them.', zh: '请重命名其中一个。' },
  );
}

function fileAndFolder(path: string) {
  return unsafe(
    {
      en: `The package has ${showName(path)} both as a file and as a folder`,
      zh: `${showName(path)} 既是文件又是文件夹`,
    },
    { en: 'Make the archive again.', zh: '请重新制作压缩包。' },
  );
}

function twice(path: string) {
  return unsafe(
    { en: `The package has ${showName(path)} twice`, zh: `包中有两个 ${showName(path)}` },
    { en: 'Make the archive again.', zh: '请重新制作压缩包。' },
  );
}
