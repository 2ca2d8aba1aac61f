import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

import type { Text } from '../../shared/text.ts';
import type { FetchLimits, FetchProgress } from '../package-source.ts';
import { type EntryKind, EntryNames, tooManyEntries } from './entry-names.ts';
import { leaveOut, showName, tooLarge } from './package-errors.ts';

interface WriterOptions {
  readonly root: string;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FetchProgress) => void;
}

/** A checked name with its target path. */
export interface Claimed {
  readonly path: string;
  readonly names: readonly string[];
}

const betweenReportsMs = 100;

/** Never opens an existing file and never follows a link. */
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

const macExtra = /(?:^|[/\\])(?:__MACOSX(?:[/\\]|$)|\._[^/\\]*$)/;

/** First bytes of a Git LFS pointer. */
const lfsPointer = Buffer.from('version https://git-lfs.github.com/spec/v1');

/**
 * Writes the entries of a package below a folder. Each name is checked before anything is written, bytes are counted as they arrive,
 * and the files are private to the user: of the modes, only the executable bit is kept.
 */
export class PackageWriter {
  readonly #options: WriterOptions;
  readonly #names: EntryNames;
  readonly #folders = new Set<string>();
  #claims = 0;
  #ignored = 0;
  readonly #lfsPointers: string[] = [];
  #entriesDone = 0;
  #bytesDone = 0;
  #announcedBytes = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#names = new EntryNames(options.limits);
  }

  /** The target of an entry; null if it is not written. */
  claim(path: string, kind: EntryKind): Claimed | null {
    // Entries that are not written also cost time: the same folder a million times.
    if (++this.#claims > this.#options.limits.entries)
      throw tooManyEntries(path, this.#options.limits.entries);
    if (macExtra.test(path)) {
      this.#ignored++;
      return null;
    }
    const names = this.#names.claim(path, kind);
    return names.length === 0 ? null : { path, names };
  }

  /** Announced size. Used only to refuse a package that is too large. */
  announce(bytes: number, path: string): void {
    this.#announcedBytes += bytes;
    if (this.#announcedBytes > this.#options.limits.totalBytes) throw this.#tooManyBytes(path);
  }

  async makeFolder({ names }: Claimed): Promise<void> {
    await this.#need(names);
    this.#entryDone();
  }

  async writeFile(
    { path, names }: Claimed,
    isExecutable: boolean,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    await this.#need(names.slice(0, -1));
    const handle = await open(this.#at(names), createFlags, isExecutable ? 0o700 : 0o600);
    try {
      let start = Buffer.alloc(0);
      for await (const chunk of content) {
        const missing = lfsPointer.length - start.length;
        if (missing > 0) start = Buffer.concat([start, chunk.subarray(0, missing)]);
        await this.#write(handle, chunk, path);
      }
      if (start.equals(lfsPointer)) this.#lfsPointers.push(path);
    } finally {
      await handle.close();
    }
    this.#entryDone();
  }

  /** Reports the final progress. Returns notes on entries that are left out or incomplete. */
  finish(): Text[] {
    this.#report();
    const notes = this.#lfsNotes();
    if (this.#ignored > 0)
      notes.unshift({
        en: `Ignored ${this.#ignored} entries that macOS adds (__MACOSX, ._*).`,
        zh: `已忽略 macOS 自动添加的 ${this.#ignored} 个条目（__MACOSX、._*）。`,
      });
    return notes;
  }

  #lfsNotes(): Text[] {
    const [first] = this.#lfsPointers;
    if (first === undefined) return [];
    const name = showName(first);
    const more = this.#lfsPointers.length - 1;
    const subject = {
      en: more === 0 ? `${name} is` : `${name} and ${more} more ${more === 1 ? 'file' : 'files'} are`,
      zh: more === 0 ? name : `${name} 等 ${more + 1} 个文件`,
    };
    return [
      {
        en: `${subject.en} stored in Git LFS, which Hob does not download: the package contains only the pointer${more === 0 ? '' : 's'}. Clone the repository, run git lfs pull in it, and install from that folder.`,
        zh: `${subject.zh}存储在 Git LFS 中，Hob 不会下载，包中只有指针文件。请克隆仓库，在其中运行 git lfs pull，然后从该文件夹安装。`,
      },
    ];
  }

  async #write(handle: FileHandle, chunk: Uint8Array, path: string): Promise<void> {
    this.#options.signal.throwIfAborted();
    this.#bytesDone += chunk.length;
    if (this.#bytesDone > this.#options.limits.totalBytes) throw this.#tooManyBytes(path);
    await handle.writeFile(chunk);
    this.#reportInTime();
  }

  async #need(names: readonly string[]): Promise<void> {
    const path = this.#at(names);
    if (names.length === 0 || this.#folders.has(path)) return;
    await this.#need(names.slice(0, -1));
    await mkdir(path, { mode: 0o700 });
    this.#folders.add(path);
  }

  #at(names: readonly string[]): string {
    return join(this.#options.root, ...names);
  }

  #entryDone(): void {
    this.#options.signal.throwIfAborted();
    this.#entriesDone++;
    this.#reportInTime();
  }

  #reportInTime(): void {
    if (performance.now() - this.#reportedAt >= betweenReportsMs) this.#report();
  }

  #report(): void {
    this.#reportedAt = performance.now();
    this.#options.onProgress({ entriesDone: this.#entriesDone, bytesDone: this.#bytesDone });
  }

  #tooManyBytes(path: string) {
    const most = this.#options.limits.totalBytes;
    const name = showName(path);
    return tooLarge(
      {
        en: `The package unpacks to more than ${most} bytes (${name})`,
        zh: `包解压后超过 ${most} 字节 (${name})`,
      },
      leaveOut,
    );
  }
}
