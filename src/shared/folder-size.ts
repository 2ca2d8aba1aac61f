import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';

import { folderEntries } from './folder-entries.ts';

/**
 * Returns the disk space of a folder with all its content. For any other path, also a link, it returns the space of the entry itself.
 * Entries that disappear meanwhile or cannot be read count as zero. Rejects once the signal is aborted.
 */
export async function folderBytes(path: string, signal?: AbortSignal): Promise<number> {
  let bytes = bytesOf(look(path));
  // A list, not a recursion: folders may be nested more deeply than the limit on file handles.
  const folders = [path];
  for (;;) {
    const folder = folders.pop();
    if (folder === undefined) return bytes;
    try {
      for await (const entries of folderEntries(folder, signal)) {
        for (const entry of entries) {
          const inside = join(folder, entry.name);
          bytes += bytesOf(look(inside));
          if (entry.isDirectory()) folders.push(inside);
        }
      }
    } catch {
      // The folder is gone, cannot be read, or its path is too long.
      signal?.throwIfAborted();
    }
  }
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
