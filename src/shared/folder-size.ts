import { lstatSync, opendirSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { folderEntries } from './folder-entries.ts';

/**
 * What a folder takes on the disk, with all that is in it; of anything else, and of a link above all, what it takes itself. What
 * is removed while this looks, or cannot be seen, counts nothing. Rejects once the signal is aborted.
 */
export async function folderBytes(path: string, signal?: AbortSignal): Promise<number> {
  let bytes = bytesOf(await look(path));
  // A list and not a recursion: folders may be nested more deeply than there are file handles.
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
      // It is gone, not for us to look into, or so deep that its path is too long.
      signal?.throwIfAborted();
    }
  }
}

/** So many files are looked at sooner than threads are asked to. */
const fewEntries = 8;

/** The same at once, for a folder on a disk of this machine with a few files in it and no folders; null for any other. */
export function smallFolderBytes(path: string): number | null {
  try {
    const itself = lstatSync(path);
    if (!itself.isDirectory()) return null;
    let bytes = bytesOf(itself);
    const folder = opendirSync(path, { bufferSize: fewEntries });
    try {
      for (let seen = 0; ; seen++) {
        const entry = folder.readSync();
        if (entry === null) return bytes;
        if (entry.isDirectory() || seen === fewEntries) return null;
        bytes += bytesOf(lstatSync(join(path, entry.name)));
      }
    } finally {
      folder.closeSync();
    }
  } catch {
    return null;
  }
}

function look(path: string): Promise<Stats | null> {
  return lstat(path).catch(() => null);
}

function bytesOf(file: Stats | null): number {
  if (file === null) return 0;
  // A sparse file is smaller than it says. Windows does not tell.
  return process.platform === 'win32' ? file.size : file.blocks * 512;
}
