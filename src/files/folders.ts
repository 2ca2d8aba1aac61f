import type { Dirent } from 'node:fs';
import { access, opendir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
import type { entryKinds } from '../contract/values.ts';
import { AppError, errnoOf } from '../shared/errors.ts';
import { hasDisplay } from '../shared/has-display.ts';
import { openOnDesktop } from '../shared/open-on-desktop.ts';

const drives = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`);

/** More entries than a user looks through. The folder of a camera or a cache may have a hundred times as many. */
const mostEntries = 10_000;

/** Few enough concurrent file operations to leave capacity for other requests. */
const batchEntries = 32;

export interface FolderEntry {
  readonly name: string;
  readonly kind: (typeof entryKinds)[number];
  readonly isLink: boolean;
  readonly sizeBytes: number | null;
  readonly modifiedAt: string | null;
}

interface FolderListing {
  readonly path: string;
  readonly parent: string | null;
  readonly home: string;
  readonly roots: readonly string[];
  readonly separator: string;
  readonly isComplete: boolean;
  readonly entries: readonly FolderEntry[];
}

/** Lists a folder of this machine, for a user who looks for a file. Null: the user's home folder. */
export async function listFolder(
  requested: string | null,
  { signal, most = mostEntries }: { signal?: AbortSignal; most?: number } = {},
): Promise<FolderListing> {
  const path = absolute(requested ?? '~');
  const entries: FolderEntry[] = [];
  let isComplete = true;
  try {
    let batch: Dirent[] = [];
    const flush = async () => {
      signal?.throwIfAborted();
      entries.push(...(await Promise.all(batch.map((entry) => describe(path, entry)))));
      batch = [];
    };
    // The system returns entries in no particular order. Entries above the limit are never read.
    for await (const entry of await opendir(path, { bufferSize: batchEntries })) {
      if (entries.length + batch.length >= most) {
        isComplete = false;
        break;
      }
      batch.push(entry);
      if (batch.length === batchEntries) await flush();
    }
    await flush();
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
  // The caller does not know the working directory of the service.
  if (!isAbsolute(whole)) throw relativePath(path);
  return resolve(whole);
}

/** A link has the kind of its target. An entry that cannot be read, or was just removed, is listed without details. */
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

/** Natural order: 2 before 10. */
const { compare } = new Intl.Collator('en', { numeric: true });

function inOrder(a: FolderEntry, b: FolderEntry): number {
  return Number(b.kind === 'folder') - Number(a.kind === 'folder') || compare(a.name, b.name);
}

/** The roots of absolute paths on this machine. */
async function rootsOfMachine(platform = process.platform): Promise<string[]> {
  if (platform !== 'win32') return ['/'];
  const found = await Promise.all(
    drives.map((drive) =>
      access(drive).then(
        () => true,
        () => false,
      ),
    ),
  );
  return drives.filter((_, index) => found[index] === true);
}

function relativePath(path: string): AppError {
  return new AppError('field-invalid', {
    en: `path must be an absolute path, not ${JSON.stringify(path)}`,
    zh: `path 应为绝对路径，而不是 “${path}”`,
    fields: ['path'],
    hint: { en: '~ stands for your home folder.', zh: '~ 表示用户主文件夹。' },
  });
}

/** Converts an error about a folder into an AppError. Returns other errors unchanged. */
function folderRefusal(error: unknown, path: string): unknown {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'ENODEV':
      return new AppError('folder-unknown', {
        en: `No such folder: ${path}`,
        zh: `文件夹不存在: ${path}`,
        cause: error,
      });
    case 'ENOTDIR':
      return new AppError('folder-invalid', {
        en: `${path} is not a folder`,
        zh: `不是文件夹: ${path}`,
        fields: ['path'],
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EIO':
      return new AppError('folder-unreadable', {
        en: `Cannot read the folder: ${path}`,
        zh: `没有权限查看文件夹: ${path}`,
        cause: error,
        hint: {
          en: 'Hob has the permissions of the user who started it.',
          zh: 'Hob 只能看到启动它的用户有权查看的内容。',
        },
      });
    default:
      return error;
  }
}

interface DeskOptions {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Opens a folder, or the folder of a file, on the user's desktop. Resolves with the opened folder. The path comes from the output of a
 * script, so the file itself is never opened: that could run a program.
 */
export async function openFolder(path: string, { platform, environment }: DeskOptions): Promise<string> {
  const folder = await folderOf(path, platform);
  if (platform !== 'darwin' && platform !== 'win32' && !hasDisplay(environment)) {
    throw unavailable(folder, {
      en: 'the machine has no desktop (neither DISPLAY nor WAYLAND_DISPLAY is set)',
      zh: '没有桌面（DISPLAY 和 WAYLAND_DISPLAY 均未设置）',
    });
  }
  const failure = await openOnDesktop('folder', folder, { platform, environment });
  if (failure === null) return folder;
  const { program, isMissing, reason } = failure;
  throw unavailable(
    folder,
    isMissing
      ? { en: `${program} is not installed (package xdg-utils)`, zh: `没有 ${program}（软件包 xdg-utils）` }
      : { en: reason, zh: reason },
  );
}

async function folderOf(path: string, platform: NodeJS.Platform): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    throw new AppError('folder-missing', {
      en: `No such file or folder: ${path}`,
      zh: `路径不存在：${path}`,
      cause: error,
    });
  });
  // On macOS a folder with an extension may be an application. Opening it would run it.
  const isProgram = platform === 'darwin' && extname(path) !== '';
  return found.isDirectory() && !isProgram ? path : dirname(path);
}

function unavailable(folder: string, reason: { en: string; zh: string }): AppError {
  return new AppError('desktop-unavailable', {
    en: `Cannot open the folder: ${reason.en}`,
    zh: `无法显示文件夹：${reason.zh}`,
    hint: {
      en: `The folder is on the machine that Hob runs on: ${folder}`,
      zh: `它位于运行 Hob 的机器上：${folder}`,
    },
  });
}
