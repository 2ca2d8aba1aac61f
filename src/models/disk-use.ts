import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';

import { folderEntries } from '../shared/folder-entries.ts';
import { see, type Witness } from './evidence.ts';
import { watchLargest } from './scan-folder.ts';

export interface DiskUse {
  /** Disk space in use. A file with several names counts once. */
  readonly bytes: number;
  /** Disk space that removing the folder frees. Excludes files that also have a name outside the folder. */
  readonly freedBytes: number;
}

/** Measures the disk space of a folder and its contents. Does not follow links. Ignores files that disappear meanwhile. */
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
      // The folder was removed, or Hob has no permission to read it.
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
  // A sparse file takes less space than its size. On Windows, Node does not report blocks.
  return Number(process.platform === 'win32' ? stats.size : stats.blocks * 512n);
}
