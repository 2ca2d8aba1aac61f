import { open } from 'node:fs/promises';

/** Waits until the names in a folder are on the disk, so that nothing written later can be there without them. */
export async function syncFolder(folder: string): Promise<void> {
  // Not every system can; then the order of the writes has to do.
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
