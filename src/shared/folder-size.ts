import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

import { folderEntries } from './folder-entries.ts';

/** The space for a few hundred entries, at most. */
const smallFolderBytes = 4096;

/**
 * Returns the disk space of a folder with all its content. For any other path, also a link, it returns the space of the entry itself.
 * Entries that disappear meanwhile or cannot be read count as zero. Rejects once the signal is aborted.
 */
export async function folderBytes(path: string, signal?: AbortSignal): Promise<number> {
  let bytes = 0;
  // A list, not a recursion: folders may be nested more deeply than the limit on file handles.
  const folders = [path];
  const add = (folder: string, entries: readonly Dirent[]) => {
    for (const entry of entries) {
      const inside = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(inside);
      else bytes += bytesOf(look(inside));
    }
  };
  for (;;) {
    signal?.throwIfAborted();
    const folder = folders.pop();
    if (folder === undefined) return bytes;
    const found = look(folder);
    bytes += bytesOf(found);
    if (!found?.isDirectory()) continue;
    try {
      if (folder === path && isSmall(found)) add(folder, readdirSync(folder, { withFileTypes: true }));
      else for await (const entries of folderEntries(folder, signal)) add(folder, entries);
    } catch {
      // The folder is gone, cannot be read, or its path is too long.
      signal?.throwIfAborted();
    }
  }
}

/**
 * Whether a folder has few entries, such as that of most runs: they are read at once, which takes a third of the time.
 * The size of a folder grows with its entries, except on Windows, where it is zero. Folders inside it are read in
 * batches with pauses, because there may be many.
 */
function isSmall(folder: Stats): boolean {
  return folder.size > 0 && folder.size <= smallFolderBytes;
}

/** Synchronous: a batch of entries takes less time than one request to a thread. */
function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function bytesOf(file: Stats | null): number {
  if (file === null) return 0;
  // A sparse file uses less than its size. Windows does not report blocks.
  return process.platform === 'win32' ? file.size : file.blocks * 512;
}
