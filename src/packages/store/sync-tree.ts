import { open } from 'node:fs/promises';
import { join } from 'node:path';

import { folderEntries } from '../../shared/folder-entries.ts';
import { syncFolder } from '../../shared/sync-folder.ts';

/** Windows writes out only what was opened for writing. */
const openFor = process.platform === 'win32' ? 'r+' : 'r';

/** Waits until all that is in a folder is on the disk: a version that counts is to be whole after a power cut, too. */
export async function syncTree(folder: string, signal: AbortSignal): Promise<void> {
  const folders = [folder];
  for (let inner = folders.pop(); inner !== undefined; inner = folders.pop()) {
    for await (const entries of folderEntries(inner, signal)) {
      const parent = inner;
      const files = entries.filter((entry) => entry.isFile());
      await Promise.all(files.map(({ name }) => syncFile(join(parent, name))));
      for (const entry of entries) if (entry.isDirectory()) folders.push(join(parent, entry.name));
    }
    await syncFolder(inner);
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, openFor);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
