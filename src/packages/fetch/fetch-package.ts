import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf, isExhaustion } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { makePrivateFolder } from '../../shared/private-files.ts';
import type { Text } from '../../shared/text.ts';
import { leftOutNotes } from '../pack/scan-folder.ts';
import {
  defaultFetchLimits,
  type FetchedPackage,
  type FetchLimits,
  type FetchProgress,
  type PackageSource,
} from '../package-source.ts';
import { copyFolder } from './copy-folder.ts';
import { fetchGit } from './fetch-git.ts';
import { findScript } from './find-script.ts';
import {
  damaged,
  invalidSource,
  needsRights,
  showName,
  systemRefusal,
  unreadable,
} from './package-errors.ts';
import { PackageWriter } from './package-writer.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

type Format = 'zip' | 'tar' | 'tar.gz';

const tarMagicAt = 257;

export interface FetchOptions {
  /** An empty private folder. The caller removes it, also after a failure. */
  readonly into: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limits?: FetchLimits;
  /** Aborted if the operation is cancelled. The promise then rejects with its reason. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FetchProgress) => void;
  readonly log: Logger;
}

/** Fetches a source into a private folder and finds its script. Changes nothing outside that folder. */
export async function fetchPackage(source: PackageSource, options: FetchOptions): Promise<FetchedPackage> {
  const { into, limits = defaultFetchLimits, signal, onProgress, log } = options;
  try {
    signal.throwIfAborted();
    const root = join(into, 'content');
    await makePrivateFolder(root);
    const writer = new PackageWriter({ root, limits, signal, onProgress });
    const { commit, notes, isFolder } = await bring(source, writer, { ...options, limits });
    notes.push(...writer.finish());
    const folder = isFolder ? root : await findScript(root, source.path);
    log.debug({ kind: source.kind, commit }, 'fetched a package');
    return { folder, commit, notes };
  } catch (error) {
    signal.throwIfAborted();
    throw systemRefusal(error);
  }
}

async function bring(
  source: PackageSource,
  writer: PackageWriter,
  { into, env, limits, signal }: FetchOptions & { readonly limits: FetchLimits },
): Promise<{ commit: string | null; notes: Text[]; isFolder: boolean }> {
  const { kind, location, path } = source;
  if (kind === 'git') {
    const options = { repository: join(into, 'repository'), env, limits, signal };
    return { ...(await fetchGit(source, writer, options)), isFolder: false };
  }
  // The name proves nothing: a folder may be named like an archive.
  const isFolder = await look(location);
  if (isFolder) {
    // Copy only the script, and only if there is one: the folder may be a whole disk.
    const folder = await findScript(location, path);
    const leftOut = await copyFolder(folder, writer, { skip: [into], signal });
    return { commit: null, notes: leftOutNotes(leftOut), isFolder };
  }
  await readArchive(location, writer, signal);
  return { commit: null, notes: [], isFolder };
}

async function look(location: string): Promise<boolean> {
  try {
    return (await stat(location)).isDirectory();
  } catch (error) {
    const errno = errnoOf(error) ?? 'unknown';
    if (isExhaustion(errno)) throw error;
    if (errno === 'ENOENT' || errno === 'ENOTDIR') {
      throw invalidSource(
        { en: `${showName(location)} does not exist`, zh: `${showName(location)} 不存在` },
        { en: 'Check the path.', zh: '请检查路径。' },
      );
    }
    throw unreadable(
      {
        en: `${showName(location)} cannot be read (${errno})`,
        zh: `无法读取 ${showName(location)}（${errno}）`,
      },
      needsRights,
    );
  }
}

/** Unpacks an archive. The first bytes decide about the format, because names can be wrong. */
async function readArchive(file: string, writer: PackageWriter, signal: AbortSignal): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const format = await formatOf(handle, file);
    if (format === 'zip') {
      try {
        return await readZip(handle, writer, signal);
      } catch (error) {
        throw damaged(error, null);
      }
    }
    const source = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });
    await readTar(source, writer, { isCompressed: format === 'tar.gz', signal });
  } finally {
    await handle.close();
  }
}

async function formatOf(handle: FileHandle, file: string): Promise<Format> {
  if (!(await handle.stat()).isFile()) throw notAnArchive(file);
  const start = Buffer.alloc(tarMagicAt + 5);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  // An empty zip consists of its end record only.
  if (bytesRead >= 4 && ['PK\x03\x04', 'PK\x05\x06'].includes(start.toString('latin1', 0, 4))) return 'zip';
  if (bytesRead >= 2 && start[0] === 0x1f && start[1] === 0x8b) return 'tar.gz';
  if (bytesRead === start.length && start.toString('latin1', tarMagicAt) === 'ustar') return 'tar';
  throw notAnArchive(file);
}

function notAnArchive(file: string) {
  return unreadable(
    { en: `${file} is not a zip, tar or tar.gz archive`, zh: `${file} 不是 zip、tar 或 tar.gz 压缩包` },
    {
      en: 'Specify a folder, one of these archives, or the address of a git repository.',
      zh: '请指定文件夹、上述格式的压缩包或 git 仓库地址。',
    },
  );
}
