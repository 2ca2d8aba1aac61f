import { open } from 'node:fs/promises';
import { join } from 'node:path';

import { folderEntries } from '../../shared/folder-entries.ts';
import { syncFolder } from '../../shared/sync-folder.ts';

/** Windows can flush only files that are opened for writing. */
const openFor = process.platform === 'win32' ? 'r+' : 'r';

/** Flushes a folder to the disk, so that the current version is complete after a power failure. */
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
