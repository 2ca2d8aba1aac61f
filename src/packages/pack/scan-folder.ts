import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf, isExhaustion } from '../../shared/errors.ts';
import { leaveOutRule } from './left-out.ts';

/** An entry of a folder to pack. Paths are relative, with forward slashes. */
export type ScannedEntry =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly sizeBytes: number;
      readonly isExecutable: boolean;
    }
  | { readonly kind: 'folder'; readonly path: string; readonly isEmpty: boolean }
  | { readonly kind: 'left-out'; readonly path: string }
  | UnpackableEntry;

/** Entries of an archive: all files, and empty folders. */
export type PackedEntry = ScannedEntry & { readonly kind: 'file' | 'folder' };

/** An entry that a package cannot contain. */
export type UnpackableEntry =
  | { readonly kind: 'link' | 'special'; readonly path: string }
  | { readonly kind: 'unreadable'; readonly path: string; readonly errno: string };

interface ScanOptions {
  /** Files and folders to skip. Compared by identity, so another path to the same file is skipped, too. */
  readonly skip?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Deeper than any package, but safe for the stack. */
const deepest = 100;

/** Lists a folder recursively, in the same order on every machine. Does not follow links. */
export async function* scanFolder(folder: string, options: ScanOptions = {}): AsyncGenerator<ScannedEntry> {
  const skipped = new Set<string>();
  for (const path of options.skip ?? []) {
    const found = await lstat(path).catch(() => null);
    if (found !== null) skipped.add(identityOf(found));
  }
  yield* scan(folder, '', 1);

  /** Null if the entry is gone or must be skipped, such as the archive itself. */
  async function look(file: string, path: string): Promise<ScannedEntry | null> {
    try {
      const found = await lstat(file);
      if (skipped.has(identityOf(found))) return null;
      return { kind: 'file', path, sizeBytes: found.size, isExecutable: (found.mode & 0o100) !== 0 };
    } catch (error) {
      const errno = errnoOf(error) ?? 'unknown';
      return errno === 'ENOENT' ? null : { kind: 'unreadable', path, errno };
    }
  }

  async function* scan(at: string, prefix: string, depth: number): AsyncGenerator<ScannedEntry> {
    options.signal?.throwIfAborted();
    const entries = await listEntries(at);
    if (typeof entries === 'string') {
      yield { kind: 'unreadable', path: prefix.slice(0, -1), errno: entries };
      return;
    }
    const isLeftOut = await leaveOutRule(at, entries);
    for (const entry of entries) {
      const path = `${prefix}${entry.name}`;
      if (isLeftOut(entry)) yield { kind: 'left-out', path };
      else if (entry.isFile()) {
        const found = await look(join(at, entry.name), path);
        if (found !== null) yield found;
      } else if (!entry.isDirectory()) yield { kind: entry.isSymbolicLink() ? 'link' : 'special', path };
      else {
        const inner = join(at, entry.name);
        const found = await lstat(inner).catch(() => null);
        // The folder is gone, or it is the target folder.
        if (found === null || skipped.has(identityOf(found))) continue;
        const isEmpty = (await listEntries(inner)).length === 0;
        yield { kind: 'folder', path, isEmpty };
        if (depth < deepest && !isEmpty) yield* scan(inner, `${path}/`, depth + 1);
      }
    }
  }
}

/** Opens the current content of a file; does not follow a link and does not block on a pipe. */
export async function* readContent(path: string): AsyncGenerator<Buffer> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw Object.assign(new Error(`${path} is no longer a file`), { code: 'ELOOP' });
    for (;;) {
      const buffer = Buffer.allocUnsafe(Math.min(found.size + 1, 256 * 1024));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function listEntries(folder: string): Promise<Dirent[] | string> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || isExhaustion(errno)) throw error;
    return errno;
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
