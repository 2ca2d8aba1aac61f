import { basename, join } from 'node:path';

import { isExhaustion } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';
import { type LoadedFolder, loadFolder } from './load-folder.ts';
import { fileError } from './script.ts';

/** The file of an installed package that names its current version. */
export const installedFile = 'installed.json';

/** Name of the folder of a version. */
export const versionPattern = /^v\d{1,9}$/;

const maxBytes = 1024 * 1024;
const noVersion = 'v0';

/** Returns the script of an installed package, or null if it has none yet. */
export async function loadPackage(packageFolder: string): Promise<LoadedFolder | null> {
  const folder = await installedVersion(packageFolder);
  if (folder === null) return null;
  return (await loadFolder(folder)) ?? damaged(packageFolder);
}

/**
 * Returns the folder of the current version, or null. Old versions stay while a run may need them: a file, which every system can
 * replace atomically, decides which version new runs use.
 */
export async function installedVersion(packageFolder: string): Promise<string | null> {
  const file = await readRegularFile(join(packageFolder, installedFile), { maxBytes });
  if (file.kind === 'unreadable' && isExhaustion(file.errno)) {
    throw Object.assign(new Error(`cannot read ${packageFolder}`), { code: file.errno });
  }
  if (file.kind === 'missing') return null;
  const current = file.kind === 'content' ? currentOf(file.bytes.toString()) : null;
  // A name that no folder has, so that reading it reports the damage.
  return join(packageFolder, current ?? noVersion);
}

function currentOf(text: string): string | null {
  try {
    const installed: unknown = JSON.parse(text);
    if (!isJsonObject(installed) || typeof installed.current !== 'string') return null;
    return versionPattern.test(installed.current) ? installed.current : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function damaged(packageFolder: string): LoadedFolder {
  const id = basename(packageFolder).toLowerCase();
  return {
    kind: 'broken',
    folder: packageFolder,
    ids: [id],
    name: null,
    problems: [
      fileError(join(packageFolder, installedFile), {
        en: 'The installed package is damaged: its current version is missing',
        zh: '已安装的包已损坏：找不到当前版本',
        advice: {
          en: `Remove it with: hob uninstall ${id}. Then install it again.`,
          zh: `请运行 hob uninstall ${id} 将其移除，然后重新安装。`,
        },
      }),
    ],
  };
}
