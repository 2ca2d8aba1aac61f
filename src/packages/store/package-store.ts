import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { lstat, open, readdir, readlink, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { loadFolder } from '../../scripts/load-folder.ts';
import type { Script } from '../../scripts/script.ts';
import { errnoOf, isExhaustion } from '../../shared/errors.ts';
import { folderEntries } from '../../shared/folder-entries.ts';
import { makePrivateFolder, writePrivateFile } from '../../shared/private-files.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import { removeFolder } from '../../shared/remove-folder.ts';
import { syncFolder } from '../../shared/sync-folder.ts';
import { formatRecord, type InstalledRecord, namedIn, parseRecord } from './installed-record.ts';

/** Windows can flush only files that are opened for writing. */
const syncFlags = process.platform === 'win32' ? 'r+' : 'r';
const recordName = 'installed.json';
const stagingName = '.staging';
/** Far more than a record of two versions needs. */
const maxRecordBytes = 64 * 1024;
/** Placeholder for a damaged record that cannot be restored. It is itself invalid, so that nothing is removed because of it. */
const damagedText = '{}\n';
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const versionPattern = /^v([1-9]\d{0,8})$/;
const draftPattern = /^installed\.json\.[0-9a-f]{12}$/;

/** The record of a package and its original text, which can be restored. */
export type RecordReading =
  | { readonly kind: 'missing'; readonly text: null }
  | { readonly kind: 'record'; readonly text: string; readonly record: InstalledRecord }
  | { readonly kind: 'damaged'; readonly text: string };

/**
 * The packages on the disk: one folder per script id, with one folder per version. Versions are never changed or moved; a file names
 * the current version and is replaced atomically.
 */
export class PackageStore {
  readonly folder: string;
  /** Staging folders of this process, as opposed to remains of a killed one. */
  readonly #staged = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  folderOf(id: string): string {
    return join(this.folder, id);
  }

  versionFolder(id: string, name: string): string {
    return join(this.folder, id, name);
  }

  /** The ids of all present and former packages. */
  async ids(): Promise<string[]> {
    const entries = await unlessMissing(readdir(this.folder, { withFileTypes: true }));
    const folders = (entries ?? []).filter((entry) => entry.isDirectory() && idPattern.test(entry.name));
    return folders.map(({ name }) => name);
  }

  async read(id: string): Promise<RecordReading> {
    if (!idPattern.test(id)) return { kind: 'missing', text: null };
    const path = this.#recordPath(id);
    const found = await readRegularFile(path, { maxBytes: maxRecordBytes });
    if (found.kind === 'missing') return { kind: 'missing', text: null };
    // Out of file handles: this says nothing about the record.
    if (found.kind === 'unreadable' && isExhaustion(found.errno))
      throw Object.assign(new Error(`cannot read ${path}`), { code: found.errno });
    if (found.kind !== 'content') return { kind: 'damaged', text: damagedText };
    const text = found.bytes.toString('utf8');
    const record = parseRecord(id, text);
    return record === null ? { kind: 'damaged', text } : { kind: 'record', text, record };
  }

  write(record: InstalledRecord): Promise<void> {
    return this.#writeText(record.id, formatRecord(record));
  }

  /** Restores the record as it was read. */
  restore(id: string, { text }: RecordReading): Promise<void> {
    return text === null ? this.forget(id) : this.#writeText(id, text);
  }

  /** Marks the package as not installed, even if files remain. */
  async forget(id: string): Promise<void> {
    await removeFolder(this.#recordPath(id));
    await syncFolder(this.folderOf(id));
  }

  /** Creates an empty folder on the disk of the packages. */
  async stage(): Promise<string> {
    await makePrivateFolder(join(this.folder, stagingName), { existing: true });
    const name = randomUUID();
    this.#staged.add(name);
    const folder = join(this.folder, stagingName, name);
    await makePrivateFolder(folder);
    return folder;
  }

  async unstage(folder: string): Promise<void> {
    await removeFolder(folder);
    this.#staged.delete(basename(folder));
  }

  /** Removes the staging folders of a killed process. */
  async sweepStaging(): Promise<void> {
    const staging = join(this.folder, stagingName);
    const names = (await unlessMissing(readdir(staging))) ?? [];
    for (const name of names) if (!this.#staged.has(name)) await removeFolder(join(staging, name));
  }

  /** Moves a folder in as a new version, which is not current yet. Returns its name. */
  async place(id: string, folder: string, signal: AbortSignal): Promise<string> {
    await syncTree(folder, signal);
    const home = this.folderOf(id);
    await makePrivateFolder(home, { existing: true });
    try {
      const name = await this.#freeName(id);
      await rename(folder, join(home, name));
      await syncFolder(home);
      await syncFolder(this.folder);
      return name;
    } catch (error) {
      await rmdir(home).catch(() => {});
      throw error;
    }
  }

  async hasVersion(id: string, name: string): Promise<boolean> {
    const found = await unlessMissing(lstat(this.versionFolder(id, name)));
    return found?.isDirectory() === true;
  }

  /** The script of a version; null if it is damaged. */
  async loadScript(id: string, name: string): Promise<Script | null> {
    const loaded = await loadFolder(this.versionFolder(id, name));
    return loaded?.kind === 'script' && loaded.script.id === id ? loaded.script : null;
  }

  /** Removes a version unless the record refers to it, and the folder of the package if it is then empty. */
  async discard(id: string, name: string): Promise<void> {
    const reading = await this.read(id);
    if (reading.kind === 'record' && namedIn(reading.record).includes(name)) return;
    await removeFolder(this.versionFolder(id, name));
    if (reading.kind === 'missing') await rmdir(this.folderOf(id)).catch(() => {});
  }

  /**
   * Removes versions that the record does not refer to, and all versions if there is no record. A damaged record is unknown, so nothing
   * is removed. Versions in use stay. Returns whether another sweep is needed.
   */
  async sweep(id: string, isInUse: (folder: string) => boolean): Promise<boolean> {
    const reading = await this.read(id);
    const home = this.folderOf(id);
    const entries = (await unlessMissing(readdir(home))) ?? [];
    const named = reading.kind === 'record' ? namedIn(reading.record) : [];
    let isLeft = false;
    for (const entry of entries) {
      const path = join(home, entry);
      const isVersion = versionPattern.test(entry) && reading.kind !== 'damaged' && !named.includes(entry);
      if (isVersion && isInUse(path)) isLeft = true;
      else if (isVersion || draftPattern.test(entry)) await removeFolder(path);
    }
    // Keep foreign files, and therefore the folder.
    if (reading.kind === 'missing') await rmdir(home).catch(() => {});
    return isLeft;
  }

  /** An unused name: a version whose folder is missing must not seem to exist again. */
  async #freeName(id: string): Promise<string> {
    const reading = await this.read(id);
    const named = reading.kind === 'record' ? namedIn(reading.record) : [];
    const names = [...(await readdir(this.folderOf(id))), ...named];
    const numbers = names.map((name) => Number(versionPattern.exec(name)?.[1] ?? 0));
    return `v${Math.max(0, ...numbers) + 1}`;
  }

  #recordPath(id: string): string {
    return join(this.folderOf(id), recordName);
  }

  async #writeText(id: string, text: string): Promise<void> {
    const path = this.#recordPath(id);
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      await writePrivateFile(draft, text, { durable: true });
      // A folder with this name would block the file.
      const found = await unlessMissing(lstat(path));
      if (found?.isDirectory()) await removeFolder(path);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(this.folderOf(id));
  }
}

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    throw error;
  }
}

/** Flushes a folder to the disk, so that the current version is complete after a power failure. */
async function syncTree(folder: string, signal: AbortSignal): Promise<void> {
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
  const handle = await open(path, syncFlags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Hash of a folder: names, contents and executable bits. Does not follow links. */
export async function hashTree(folder: string, signal: AbortSignal): Promise<string> {
  const lines: string[] = [];
  // Iterative, because the depth is not trustworthy.
  const folders = [''];
  for (let inner = folders.pop(); inner !== undefined; inner = folders.pop()) {
    for await (const entries of folderEntries(join(folder, inner), signal)) {
      for (const entry of entries) {
        const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
        if (entry.isDirectory()) folders.push(path);
        lines.push(JSON.stringify([path, ...(await describe(join(folder, path), entry, signal))]));
      }
    }
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

async function describe(path: string, entry: Dirent, signal: AbortSignal): Promise<string[]> {
  if (entry.isDirectory()) return ['folder'];
  if (entry.isSymbolicLink()) return ['link', await readlink(path)];
  if (!entry.isFile()) return ['special'];
  // Windows has no executable bit.
  const isExecutable = process.platform !== 'win32' && ((await lstat(path)).mode & 0o100) !== 0;
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { signal })) hash.update(piece);
  return [isExecutable ? 'program' : 'file', hash.digest('hex')];
}
