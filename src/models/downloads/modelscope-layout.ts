import { createHash } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError } from '../../shared/errors.ts';
import { isJsonObject } from '../../shared/json.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import { syncFolder } from '../../shared/sync-folder.ts';
import type { HubFile, RepoListing } from '../hubs/hub.ts';
import { badAnswer } from '../hubs/hub-errors.ts';
import type { RepoId } from '../repo-id.ts';
import { beginHash } from './hashing/hashing.ts';
import { type Layout, listingRecord, recordAsked } from './layout.ts';
import { ensureFolder, replaceFile } from './safe-folder.ts';

const recordName = '.hob.json';
/** Folder of partial files. While it exists, even empty, its name marks the snapshot as incomplete. */
const temporaryName = '.hob.incomplete';
const mostRecordBytes = 64 * 1024 * 1024;

interface Options {
  readonly cache: string;
  readonly repo: RepoId;
  readonly listing: RepoListing;
  readonly host: string;
  /** Entry file of the hashing thread. */
  readonly hashEntry: URL;
}

/**
 * The newer cache of ModelScope: plain files in one folder per revision. A file of the right size counts as correct if Hob's record
 * says that its hash was checked and it has not been modified since. Any other file of the right size is hashed, which is cheaper
 * than a download.
 */
export async function modelScopeLayout(options: Options): Promise<Layout> {
  const { cache, repo, listing, host } = options;
  const { snapshot, files } = listing;
  if (snapshot.includes('/')) throw notAFolderName(snapshot);
  for (const { path } of files)
    if (path === recordName || path === temporaryName || path.startsWith(`${temporaryName}/`))
      throw badAnswer(host, {
        en: `lists ${path}, a name that Hob reserves for itself`,
        zh: `列出了 Hob 保留的名称 ${path}`,
      });
  const names = ['models', `${repo.owner}--${repo.name}`, 'snapshots', snapshot];
  const folder = await ensureFolder(cache, ...names.slice(0, 2));
  const snapshotFolder = await ensureFolder(cache, ...names);
  const recordFile = join(snapshotFolder, recordName);
  const checked = await readChecked(recordFile);
  const temporary = join(snapshotFolder, temporaryName);
  const pathOf = (file: HubFile) => join(snapshotFolder, ...file.path.split('/'));
  const partialOf = ({ content, path }: HubFile) => join(temporary, partialName(content.hex, path));
  return {
    folder,
    snapshot: snapshotFolder,
    // Two files with the same content are separate files in this cache.
    contentKey: ({ path }) => path,
    partialOf,
    async isThere(file, signal) {
      const found = await lstat(pathOf(file)).catch(() => null);
      if (found?.isFile() !== true || found.size !== file.sizeBytes) return false;
      const { mtimeMs } = found;
      const before = checked.get(file.path);
      if (before?.sha256 === file.content.hex && before.mtimeMs === mtimeMs) return true;
      const isRight = await hasContent(pathOf(file), file, options.hashEntry, signal);
      if (isRight) checked.set(file.path, { sha256: file.content.hex, mtimeMs });
      return isRight;
    },
    async begin() {
      await ensureFolder(cache, ...names, temporaryName);
    },
    async keep(file) {
      await ensureFolder(cache, ...names, ...file.path.split('/').slice(0, -1));
      // Replacing a file makes the record wrong, even if both files have the same size: a mix of old and new files is not
      // a usable model.
      if ((await lstat(pathOf(file)).catch(() => null)) !== null) await rm(recordFile, { force: true });
      await rename(partialOf(file), pathOf(file));
      const { mtimeMs } = await lstat(pathOf(file));
      checked.set(file.path, { sha256: file.content.hex, mtimeMs });
    },
    async record() {},
    async show() {},
    async finish(_listing, asked) {
      await syncFolder(snapshotFolder);
      await recordAsked(cache, names.slice(0, 2), snapshot, asked);
      await replaceFile(recordFile, listingRecord(listing, { checked: Object.fromEntries(checked) }));
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

/**
 * Contains the content hash, so that a changed file never resumes from bytes of the old one. Contains a hash of the path, because
 * two files with the same content may be fetched at the same time.
 */
function partialName(hex: string, path: string): string {
  return `${hex}-${createHash('sha256').update(path).digest('hex').slice(0, 32)}.incomplete`;
}

async function hasContent(
  path: string,
  file: HubFile,
  hashEntry: URL,
  signal: AbortSignal,
): Promise<boolean> {
  const { content, sizeBytes } = file;
  const handle = await open(path, 'r');
  const hash = beginHash({ fd: handle.fd, content, sizeBytes }, hashEntry, signal);
  try {
    hash.advance(sizeBytes);
    return await hash.isRight();
  } finally {
    await hash.close();
    await handle.close();
  }
}

type Checked = {
  readonly sha256: string;
  readonly mtimeMs: number;
};

/** Reads which files had the right hash when they were last checked. */
async function readChecked(path: string): Promise<Map<string, Checked>> {
  const checked = new Map<string, Checked>();
  const read = await readRegularFile(path, { maxBytes: mostRecordBytes, ownOnly: true });
  if (read.kind !== 'content') return checked;
  let record: unknown;
  try {
    record = JSON.parse(read.bytes.toString());
  } catch {
    return checked;
  }
  const entries = isJsonObject(record) && isJsonObject(record.checked) ? record.checked : {};
  for (const [file, entry] of Object.entries(entries)) {
    if (!isJsonObject(entry)) continue;
    const { sha256, mtimeMs } = entry;
    if (typeof sha256 === 'string' && typeof mtimeMs === 'number') checked.set(file, { sha256, mtimeMs });
  }
  return checked;
}

function notAFolderName(revision: string): AppError {
  return new AppError('hub-not-found', {
    en: `The ModelScope cache cannot store the revision ${revision}, because its name contains a slash.`,
    zh: `版本 ${revision} 含有斜杠，无法存入 ModelScope 缓存。`,
    hint: { en: 'Use another branch or a tag.', zh: '请使用其他分支或标签。' },
  });
}
