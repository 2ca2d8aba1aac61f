import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type LoadedFolder, loadFolder } from '../../scripts/load-folder.ts';
import { type AppError, errnoOf, isExhaustion } from '../../shared/errors.ts';
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
import { splitPath } from './entry-names.ts';
import { fetchGit } from './fetch-git.ts';
import {
  damaged,
  invalidSource,
  needsRights,
  refusal,
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

const deepest = 3;

const mostNamed = 20;

/** Far more folders than a collection of scripts has, but fewer than a whole disk. */
const mostFolders = 2000;

/** Folders with code of other authors. */
const foreignFolders = new Set(['node_modules', '__pycache__', 'venv']);

/**
 * Returns the folder of the script in a fetched source: the requested one, the root, or the only folder below with a manifest.
 * Archives often have a single top folder, which counts as the root.
 */
async function findScript(root: string, path: string | null): Promise<string> {
  const unwrapped = await unwrap(root);
  if (path !== null) return chosen([root, unwrapped], path);
  const top = await loadFolder(unwrapped);
  if (top !== null && isMeant(top)) return unwrapped;
  const found = await search(unwrapped, { left: mostFolders });
  const [only, second] = found;
  if (second !== undefined) throw several(found);
  if (only !== undefined) return join(unwrapped, only);
  // An unreadable TOML file may be a manifest, so its problems are reported.
  if (top !== null) return unwrapped;
  throw refusal(
    'package-not-a-script',
    {
      en: 'The source contains no script: no folder has a manifest',
      zh: '其中没有脚本：没有任何文件夹包含清单文件',
    },
    {
      en: 'A script needs a TOML file that has a table with info.id and runtime.entry. docs/manifest.md shows one.',
      zh: '脚本需要一个 TOML 文件，在同一个表中包含 info.id 和 runtime.entry，示例见 docs/manifest.md。',
    },
  );
}

async function unwrap(root: string): Promise<string> {
  const entries = await readdir(root, { withFileTypes: true });
  const [only, second] = entries;
  return only?.isDirectory() && second === undefined ? join(root, only.name) : root;
}

async function chosen(roots: readonly string[], path: string): Promise<string> {
  const names = splitPath(path);
  for (const root of new Set(roots)) {
    const folder = join(root, ...names);
    // Unpacked entries are never links.
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() && (await loadFolder(folder)) !== null) return folder;
  }
  throw refusal(
    'package-not-a-script',
    { en: `The source contains no script at ${showName(path)}`, zh: `其中的 ${showName(path)} 处没有脚本` },
    {
      en: 'Omit the path to see the scripts that it contains.',
      zh: '不指定路径即可查看有哪些脚本。',
    },
  );
}

/** Whether the file is certainly a manifest and not another TOML file. */
function isMeant(loaded: LoadedFolder): boolean {
  if (loaded.kind === 'script' || loaded.ids.length > 0 || loaded.name !== null) return true;
  return loaded.problems.some(({ file }) => /[/\\]script\.toml$/.test(file));
}

/** Relative paths of the folders with a script. Folders inside a script belong to it. */
async function search(root: string, budget: { left: number }, prefix = '', depth = 1): Promise<string[]> {
  // An unreadable folder counts as empty.
  const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch((error: unknown) => {
    if (isExhaustion(errnoOf(error))) throw error;
    return [];
  });
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !foreignFolders.has(entry.name))
    .map(({ name }) => name)
    .toSorted();
  const found: string[] = [];
  for (const name of names) {
    const path = `${prefix}${name}`;
    if (budget.left-- === 0) {
      throw refusal(
        'package-not-a-script',
        {
          en: `Hob found no manifest in the first ${mostFolders} folders of the source and stopped searching`,
          zh: `其中没有清单文件，且文件夹超过 ${mostFolders} 个，无法逐一查找`,
        },
        { en: 'Specify the folder of the script itself.', zh: '请直接指定脚本所在的文件夹。' },
      );
    }
    const loaded = await loadFolder(join(root, path));
    if (loaded !== null && isMeant(loaded)) found.push(path);
    else if (depth < deepest) found.push(...(await search(root, budget, `${path}/`, depth + 1)));
  }
  return found;
}

function several(paths: readonly string[]): AppError {
  const named = paths.slice(0, mostNamed).map(showName).join(', ');
  const more = paths.length > mostNamed ? ', …' : '';
  return refusal(
    'package-not-a-script',
    {
      en: `The source contains ${paths.length} scripts: ${named}${more}`,
      zh: `其中有 ${paths.length} 个脚本：${named}${more}`,
    },
    {
      en: 'Choose one by its path: --path <folder>.',
      zh: '请用路径指定其中一个，例如 --path <文件夹>。',
    },
  );
}
