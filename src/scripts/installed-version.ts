import { basename, join } from 'node:path';

import { isExhaustion } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';
import { type LoadedFolder, loadFolder } from './load-folder.ts';

/** The file in the folder of an installed package that says which of its versions counts. */
export const installedFile = 'installed.json';

/** The name of a version's folder. */
export const versionPattern = /^v\d{1,9}$/;

const maxBytes = 1024 * 1024;
const noVersion = 'v0';

/** The script in the folder of an installed package; null while there is none yet. */
export async function loadPackage(packageFolder: string): Promise<LoadedFolder | null> {
  const folder = await installedVersion(packageFolder);
  if (folder === null) return null;
  return (await loadFolder(folder)) ?? damaged(packageFolder);
}

/**
 * The folder of the version that counts. A version stays where it is for as long as a run may need it: which one new runs get is
 * decided by a file, which can be replaced in one step on every system. Null when there is none.
 */
export async function installedVersion(packageFolder: string): Promise<string | null> {
  const file = await readRegularFile(join(packageFolder, installedFile), { maxBytes });
  if (file.kind === 'unreadable' && isExhaustion(file.errno)) {
    throw Object.assign(new Error(`cannot read ${packageFolder}`), { code: file.errno });
  }
  if (file.kind === 'missing') return null;
  const current = file.kind === 'content' ? currentOf(file.bytes.toString()) : null;
  // No folder has this name, so that whoever looks into it finds the damage.
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
      {
        severity: 'error',
        file: join(packageFolder, installedFile),
        line: null,
        message: {
          en: 'The installed package is damaged: its current version is missing',
          zh: '已安装的包已损坏：找不到当前版本',
        },
        advice: {
          en: `Remove it with: hob uninstall ${id}. Then install it again.`,
          zh: `请运行 hob uninstall ${id} 将其移除，然后重新安装。`,
        },
      },
    ],
  };
}
