import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';

import { inParallel } from '../../scripts/script-folders.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { FileLooks, FoundFile } from './found-file.ts';
import { isEntered, isFileName, type Scope } from './scope.ts';

const looksAtOnce = 8;

/** The files of a folder, and of its subfolders that count. */
export interface Listing {
  readonly files: Map<string, FoundFile>;
  /** Files whose name is not valid UTF-8. Their paths are for display alone. */
  readonly unnameable: FoundFile[];
  /** The folders that were read, with their devices. */
  readonly folders: Map<string, string>;
  /** The errors of folders and files that could not be read. */
  readonly unreadable: Map<string, string>;
}

interface ListOptions {
  scope: Scope;
  looks: FileLooks;
  /** Called before a folder is read, so that a watch reports all later changes. */
  onFolder: (folder: string, identity: string) => void;
}

/** Lists the files below a folder of the scope. A folder that vanishes meanwhile is left out. */
export async function listFiles(start: string, options: ListOptions): Promise<Listing> {
  const { scope, looks, onFolder } = options;
  const listing: Listing = {
    files: new Map(),
    unnameable: [],
    folders: new Map(),
    unreadable: new Map(),
  };
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const look = await looks.look(folder);
    if (look.kind === 'failed') listing.unreadable.set(folder, look.errno);
    if (look.kind !== 'folder') continue;
    onFolder(folder, `${look.device}:${look.inode}`);
    const entries = await entriesOf(folder);
    if (typeof entries === 'string') {
      if (entries !== 'ENOENT' && entries !== 'ENOTDIR') listing.unreadable.set(folder, entries);
      continue;
    }
    listing.folders.set(folder, look.device);
    await addFiles(folder, entries);
  }
  return listing;

  async function addFiles(folder: string, entries: readonly Dirent[]): Promise<void> {
    const files = entries.filter((entry) => isFileName(entry.name, scope) && mayBeFile(entry));
    await inParallel(
      files.filter(({ name }) => !isReplaced(name)),
      async ({ name }) => {
        const path = join(folder, name);
        const look = await looks.look(path);
        if (look.kind === 'file') listing.files.set(path, look.file);
        if (look.kind === 'failed') listing.unreadable.set(path, look.errno);
      },
      looksAtOnce,
    );
    if (files.some(({ name }) => isReplaced(name))) await addUnnameable(folder);
    for (const entry of entries)
      if (entry.isDirectory() && isEntered(entry.name, scope)) folders.push(join(folder, entry.name));
  }

  async function addUnnameable(folder: string): Promise<void> {
    for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
      const name = String(bytes);
      if (!isReplaced(name) || !isFileName(name, scope)) continue;
      const path = join(folder, isUtf8(bytes) ? name : escaped(bytes));
      const look = await looks.look(path, Buffer.concat([Buffer.from(folder + sep), bytes]));
      if (look.kind !== 'file') continue;
      if (isUtf8(bytes)) listing.files.set(path, look.file);
      else listing.unnameable.push(look.file);
    }
  }
}

async function entriesOf(folder: string): Promise<Dirent[] | string> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return errnoOf(error) ?? 'unknown';
  }
}

/** Some file systems do not report the types of entries. Links may lead to files. */
function mayBeFile(entry: Dirent): boolean {
  return !(entry.isDirectory() || entry.isFIFO() || entry.isSocket() || entry.isBlockDevice());
}

/** Node replaces bytes that are not UTF-8 by this character. A valid name may also contain it. */
export function isReplaced(name: string): boolean {
  return name.includes('\ufffd');
}

function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase()}`))
    .join('');
}
