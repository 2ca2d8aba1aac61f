import { isUtf8 } from 'node:buffer';

import type { Text } from '../../shared/text.ts';
import type { FetchLimits } from '../package-source.ts';
import { showName, tooLarge, unsafe } from './package-errors.ts';

/** Device names of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

/** Control characters, and characters that change the display order. */
const disguise = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export type EntryKind = 'file' | 'folder';

/**
 * All names of a package. No two names may refer to the same file on any system: Windows and macOS ignore case, and macOS treats
 * both Unicode forms of é as equal. Every name counts, including folders that occur only in paths.
 */
export class EntryNames {
  readonly #limits: FetchLimits;
  /** The first spelling of each name, by the spelling that all systems treat as equal. */
  readonly #known = new Map<string, { path: string; kind: EntryKind }>();

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
    const name = showName(path);
    if (known.path !== path) {
      const first = showName(known.path);
      throw unsafe(
        {
          en: `${first} and ${name} are the same file on some machines`,
          zh: `${first} 与 ${name} 在某些系统上是同一个文件`,
        },
        { en: 'Rename one of them.', zh: '请重命名其中一个。' },
      );
    }
    if (known.kind !== kind)
      throw unsafe(
        { en: `The package has ${name} both as a file and as a folder`, zh: `${name} 既是文件又是文件夹` },
        makeAgain,
      );
    // A folder may occur several times.
    if (kind === 'file')
      throw unsafe({ en: `The package has ${name} twice`, zh: `包中有两个 ${name}` }, makeAgain);
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

const makeAgain = { en: 'Make the archive again.', zh: '请重新制作压缩包。' };

const nameFaults: readonly (readonly [pattern: RegExp, fault: Text])[] = [
  [disguise, { en: 'has control characters in its name', zh: '名称含有控制字符' }],
  [/\ufffd/, { en: 'has a name in an unknown encoding', zh: '名称的编码无法识别' }],
  [
    /:/,
    {
      en: 'has a colon in its name, which has a special meaning on Windows',
      zh: '名称含有冒号，在 Windows 上有特殊含义',
    },
  ],
  [deviceName, { en: 'has the name of a Windows device', zh: '名称是 Windows 的设备名' }],
  [
    /[. ]$/,
    {
      en: 'has a name that ends with a dot or a space, which Windows removes',
      zh: '名称以点或空格结尾，会被 Windows 去掉',
    },
  ],
];

/**
 * Splits a path inside a package into names, or throws. A backslash also separates, because some Windows programs write it, and a
 * path that leads out of the package on one system must not pass on another. A trailing slash is dropped.
 */
export function splitPath(path: string): string[] {
  const slashed = path.replaceAll('\\', '/');
  if (slashed.startsWith('/') || /^[a-zA-Z]:/.test(slashed)) {
    throw unsafe({
      en: `The entry ${showName(path)} has an absolute path, so it would be written outside the package`,
      zh: `条目 ${showName(path)} 使用绝对路径，会写到包外`,
    });
  }
  // Some programs write `./a//b/.` for a/b.
  const names = slashed.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) {
    if (name === '..') {
      throw unsafe({
        en: `The entry ${showName(path)} leads out of the package`,
        zh: `条目 ${showName(path)} 指向包外`,
      });
    }
    const [, fault] = nameFaults.find(([pattern]) => pattern.test(name)) ?? [];
    if (fault !== undefined) {
      throw unsafe({
        en: `The entry ${showName(path)} ${fault.en}`,
        zh: `条目 ${showName(path)} ${fault.zh}`,
      });
    }
  }
  return names;
}

/** Decodes a name of unknown encoding: as UTF-8 if valid, otherwise as GBK. */
export function decodeName(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'gbk', { ignoreBOM: true }).decode(bytes);
}
