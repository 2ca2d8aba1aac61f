import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';

import { errnoOf, isExhaustion } from '../shared/errors.ts';
import { folderEntries } from '../shared/folder-entries.ts';
import { see, type Witness } from './evidence.ts';

export interface DiskUse {
  /** Disk space in use. A file with several names counts once. */
  readonly bytes: number;
  /** Disk space that removing the folder frees. Excludes files that also have a name outside the folder. */
  readonly freedBytes: number;
}

/** Names that downloaders give to unfinished files. */
const unfinished = /(?:\.incomplete|\.part|\.partial|\.tmp|\.aria2|\.crdownload|\.download)$|^\._____temp$/i;
const deepestFolder = 16;
const mostFiles = 100_000;
const filesAtOnce = 64;
/** Only the largest files of a model are checked for changes in place. Added and removed files change the mtime of their folder. */
const filesWatched = 16;

export interface Scan {
  /** File sizes by path. Paths have forward slashes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Whether there are signs of an unfinished download: a file with such a name, or a link that is broken or leaves the root. */
  readonly hasFault: boolean;
}

interface Seen {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Lists all files below a folder. A link within the root counts as its target file. Linked folders are not entered. */
export async function scanFolder(
  folder: string,
  { root, witness }: { root: string; witness: Witness },
): Promise<Scan> {
  const sizes = new Map<string, number>();
  const seen: Seen[] = [];
  const realRoot = await realpath(root).catch(() => root);
  let hasFault = false;

  const take = async (path: string, entry: Dirent) => {
    const full = join(folder, path);
    const stats = entry.isSymbolicLink() ? await followLink(full, realRoot, witness) : await see(full, false);
    // The file has disappeared, or the link is broken or leaves the root.
    if (typeof stats === 'string') hasFault = true;
    else if (stats.isFile()) {
      sizes.set(path, Number(stats.size));
      seen.push({ path: full, stats });
    }
  };
  const enter = async (below: string, depth: number): Promise<void> => {
    if (depth > deepestFolder || sizes.size > mostFiles) {
      hasFault = true;
      return;
    }
    await witness.look(join(folder, below));
    const entries = await entriesOf(join(folder, below));
    const pathOf = ({ name }: Dirent) => (below === '' ? name : `${below}/${name}`);
    if (entries.some(({ name }) => unfinished.test(name))) hasFault = true;
    const files = entries.filter((entry) => !entry.isDirectory());
    for (let at = 0; at < files.length; at += filesAtOnce) {
      await Promise.all(files.slice(at, at + filesAtOnce).map((entry) => take(pathOf(entry), entry)));
    }
    for (const entry of entries) if (entry.isDirectory()) await enter(pathOf(entry), depth + 1);
  };
  await enter('', 0);
  watchLargest(seen, witness);
  return { sizes, hasFault };
}

/** Records the largest files as dependencies, because they may change in place. */
export function watchLargest(seen: Seen[], witness: Witness): void {
  seen.sort((a, b) => Number(b.stats.size - a.stats.size));
  for (const { path, stats } of seen.slice(0, filesWatched)) witness.note(path, stats, true);
}

/** The target file of a link, or why it does not count. A folder on the way to the file may be a link too. */
async function followLink(link: string, root: string, witness: Witness): Promise<BigIntStats | string> {
  try {
    const lookOnce = async (folder: string) => {
      if (!witness.sights.has(folder)) await witness.look(folder, { follow: true });
    };
    // First, so that a missing target is noticed when it appears.
    await lookOnce(dirname(resolve(dirname(link), await readlink(link))));
    const real = await realpath(link);
    await lookOnce(dirname(real));
    return real.startsWith(root + sep) ? await see(real, false) : 'outside';
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || isExhaustion(errno)) throw error;
    return errno;
  }
}

/** The entries of a folder; empty if it is missing or not readable. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || isExhaustion(errno)) throw error;
    return [];
  }
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
