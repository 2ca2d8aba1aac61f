import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf, isExhaustion } from '../../shared/errors.ts';
import { isJsonObject, tryParseJson } from '../../shared/json.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import { showName } from '../fetch/package-errors.ts';

/** Files that programs create when needed, or keep for themselves. */
const otherFiles = new Set(['.git', '.ds_store', 'thumbs.db']);
const otherFolders = new Set(['.venv', 'venv', '__pycache__', '__macosx']);
const maxPackageJsonBytes = 1024 * 1024;
const mostNamed = 5;

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

/** Returns whether an entry of a folder is omitted from a package. */
async function leaveOutRule(folder: string, entries: readonly Dirent[]): Promise<(entry: Dirent) => boolean> {
  const names = new Set(entries.map(({ name }) => name));
  const canInstall =
    names.has('node_modules') && names.has('package.json') && (await declaresDependencies(folder));
  const isModules = /(?:^|[/\\])node_modules$/.test(folder);
  return (entry) => {
    const { name } = entry;
    const lower = name.toLowerCase();
    if (otherFiles.has(lower) || name.startsWith('._')) return true;
    // Keep a compiled file without its source: it may be the only copy.
    if (!entry.isDirectory()) return lower.endsWith('.pyc') && names.has(name.slice(0, -1));
    if (name === 'node_modules') return canInstall;
    // Contains only links to programs of the packages next to it.
    return otherFolders.has(lower) || (isModules && name === '.bin');
  };
}

async function declaresDependencies(folder: string): Promise<boolean> {
  const file = await readRegularFile(join(folder, 'package.json'), { maxBytes: maxPackageJsonBytes });
  if (file.kind !== 'content') return false;
  const parsed = tryParseJson(file.bytes.toString());
  if (!isJsonObject(parsed)) return false;
  return [parsed.dependencies, parsed.optionalDependencies].some(
    (needs) => isJsonObject(needs) && Object.keys(needs).length > 0,
  );
}

/** Lists the omitted entries in one sentence; none if there are none. */
export function leftOutNotes(paths: readonly string[]): Text[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, mostNamed).map(showName).join(', ');
  const more = paths.length - mostNamed;
  return [
    {
      en: `Not included, because it can be created again when needed: ${named}${more > 0 ? ` and ${more} more` : ''}.`,
      zh: `以下内容可在需要时重新生成，未包含在内：${named}${more > 0 ? ` 等 ${paths.length} 项` : ''}。`,
    },
  ];
}
