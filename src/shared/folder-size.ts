import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { folderEntries } from './folder-entries.ts';

/**
 * Returns the disk space of a folder with all its content. For any other path, also a link, it returns the space of the entry itself.
 * Entries that disappear meanwhile or cannot be read count as zero. Rejects once the signal is aborted.
 */
export async function folderBytes(path: string, signal?: AbortSignal): Promise<number> {
  let bytes = bytesOf(await look(path));
  // A list, not a recursion: folders may be nested more deeply than the limit on file handles.
  const folders = [path];
  for (;;) {
    const folder = folders.pop();
    if (folder === undefined) return bytes;
    try {
      for await (const entries of folderEntries(folder, signal)) {
        const inside = entries.map((entry) => ({ entry, path: join(folder, entry.name) }));
        for (const file of await Promise.all(inside.map((each) => look(each.path)))) bytes += bytesOf(file);
        for (const each of inside) if (each.entry.isDirectory()) folders.push(each.path);
      }
    } catch {
      // The folder is gone, cannot be read, or its path is too long.
      signal?.throwIfAborted();
    }
  }
}

function look(path: string): Promise<Stats | null> {
  return lstat(path).catch(() => null);
}

function bytesOf(file: Stats | null): number {
  if (file === null) return 0;
  // A sparse file uses less than its size. Windows does not report blocks.
  return process.platform === 'win32' ? file.size : file.blocks * 512;
}
