import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';

import { folderEntries } from '../shared/folder-entries.ts';
import { see, type Witness } from './evidence.ts';
import { watchLargest } from './scan-folder.ts';

export interface DiskUse {
  /** Blocks on the disk, those of a file with several names once. */
  readonly bytes: number;
  /** What the disk has more of when all of it is gone: not what has a name elsewhere, too. */
  readonly freedBytes: number;
}

/** What a folder takes on the disk, with all that is in it. Links are not followed; what goes away meanwhile counts nothing. */
export async function measureDiskUse(folder: string, witness: Witness): Promise<DiskUse> {
  const shared = new Map<string, { bytes: number; namesLeft: bigint }>();
  const files: { path: string; stats: BigIntStats }[] = [];
  let bytes = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const within = next;
    const found = await witness.look(within);
    if (!found?.isDirectory()) continue;
    bytes += bytesOf(found);
    try {
      for await (const entries of folderEntries(within)) {
        for (const entry of entries) if (entry.isDirectory()) folders.push(join(within, entry.name));
        const others = entries.filter((entry) => !entry.isDirectory());
        const looks = others.map(async ({ name }) => ({
          path: join(within, name),
          stats: await see(join(within, name), false),
        }));
        for (const { path, stats } of await Promise.all(looks)) {
          if (typeof stats === 'string') continue;
          if (stats.isFile()) files.push({ path, stats });
          if (stats.nlink === 1n) bytes += bytesOf(stats);
          else noteShared(stats);
        }
      }
    } catch {
      // Gone, or not for us to look into.
    }
  }
  watchLargest(files, witness);
  let heldElsewhere = 0;
  for (const file of shared.values()) {
    bytes += file.bytes;
    if (file.namesLeft > 0n) heldElsewhere += file.bytes;
  }
  return { bytes, freedBytes: bytes - heldElsewhere };

  function noteShared(stats: BigIntStats): void {
    const key = `${stats.dev}:${stats.ino}`;
    const known = shared.get(key) ?? { bytes: bytesOf(stats), namesLeft: stats.nlink };
    shared.set(key, { ...known, namesLeft: known.namesLeft - 1n });
  }
}

function bytesOf(stats: BigIntStats): number {
  // A sparse file is smaller than it says. Windows does not tell.
  return Number(process.platform === 'win32' ? stats.size : stats.blocks * 512n);
}
