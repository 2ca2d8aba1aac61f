import { open } from 'node:fs/promises';

/** Waits until the names in a folder are on disk, so that no later write can be on disk without them. */
export async function syncFolder(folder: string): Promise<void> {
  // Not every system supports this. There the order of the writes must suffice.
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
