import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a folder takes on the disk, with all that is in it. What is removed while this looks, or may not be seen, counts nothing. */
export async function folderBytes(path: string): Promise<number> {
  let bytes = await fileBytes(path);
  try {
    for await (const entry of await opendir(path)) {
      const inside = join(path, entry.name);
      bytes += entry.isDirectory() ? await folderBytes(inside) : await fileBytes(inside);
    }
  } catch {
    // It is gone, or not for us to look into.
  }
  return bytes;
}

async function fileBytes(path: string): Promise<number> {
  const file = await lstat(path).catch(() => null);
  if (file === null) return 0;
  // A sparse file is smaller than it says. Windows does not tell.
  return process.platform === 'win32' ? file.size : file.blocks * 512;
}
