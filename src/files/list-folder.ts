import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';

import { rootsOfMachine } from './machine-roots.ts';
import { folderRefusal, relativePath } from './refusals.ts';

/** More than anybody looks through; a folder of a camera or a cache may have a hundred times as many. */
export const mostEntries = 10_000;
/** So many file operations at once leave room for those of others. */
const batchEntries = 32;

export const entryKinds = ['folder', 'file', 'other'] as const;

export interface FolderEntry {
  readonly name: string;
  readonly kind: (typeof entryKinds)[number];
  readonly isLink: boolean;
  readonly sizeBytes: number | null;
  readonly modifiedAt: string | null;
}

export interface FolderListing {
  readonly path: string;
  readonly parent: string | null;
  readonly home: string;
  readonly roots: readonly string[];
  readonly separator: string;
  readonly isComplete: boolean;
  readonly entries: readonly FolderEntry[];
}

/** What is in a folder of this machine, for a person who looks for a file. Null: the home of the user. */
export async function listFolder(
  asked: string | null,
  { signal, most = mostEntries }: { signal?: AbortSignal; most?: number } = {},
): Promise<FolderListing> {
  const path = absolute(asked ?? '~');
  const entries: FolderEntry[] = [];
  let isComplete = true;
  try {
    let batch: Dirent[] = [];
    const look = async () => {
      signal?.throwIfAborted();
      entries.push(...(await Promise.all(batch.map((entry) => describe(path, entry)))));
      batch = [];
    };
    // Entries come as the system has them: what is left out is left out at random, and never read.
    for await (const entry of await opendir(path, { bufferSize: batchEntries })) {
      if (entries.length + batch.length >= most) {
        isComplete = false;
        break;
      }
      batch.push(entry);
      if (batch.length === batchEntries) await look();
    }
    await look();
  } catch (error) {
    throw folderRefusal(error, path);
  }
  const parent = dirname(path);
  return {
    path,
    parent: parent === path ? null : parent,
    home: homedir(),
    roots: await rootsOfMachine(),
    separator: sep,
    isComplete,
    entries: entries.sort(inOrder),
  };
}

function absolute(path: string): string {
  const whole = /^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
  // The folder that the service happens to be in means nothing to who asks.
  if (!isAbsolute(whole)) throw relativePath(path);
  return resolve(whole);
}

/** A link is what it leads to. What cannot be looked at any more, or not at all, is there all the same. */
async function describe(folder: string, entry: Dirent): Promise<FolderEntry> {
  const isLink = entry.isSymbolicLink();
  try {
    const stats = await stat(join(folder, entry.name));
    const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
    return {
      name: entry.name,
      kind,
      isLink,
      sizeBytes: kind === 'file' ? stats.size : null,
      modifiedAt: stats.mtime.toISOString(),
    };
  } catch {
    const kind = entry.isDirectory() ? 'folder' : 'other';
    return { name: entry.name, kind, isLink, sizeBytes: null, modifiedAt: null };
  }
}

/** As people number things: 2 before 10. */
const { compare } = new Intl.Collator('en', { numeric: true });

function inOrder(a: FolderEntry, b: FolderEntry): number {
  return Number(b.kind === 'folder') - Number(a.kind === 'folder') || compare(a.name, b.name);
}
