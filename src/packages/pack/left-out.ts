import type { Dirent } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject } from '../../shared/json.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import { showName } from '../fetch/show-name.ts';

/** Files that programs create when needed, or keep for themselves. */
const otherFiles = new Set(['.git', '.ds_store', 'thumbs.db']);
const otherFolders = new Set(['.venv', 'venv', '__pycache__', '__macosx']);

const maxPackageJsonBytes = 1024 * 1024;

/** Returns whether an entry of a folder is omitted from a package. */
export async function leaveOutRule(
  folder: string,
  entries: readonly Dirent[],
): Promise<(entry: Dirent) => boolean> {
  const names = new Set(entries.map(({ name }) => name));
  const canInstall =
    names.has('node_modules') && names.has('package.json') && (await declaresDependencies(folder));
  const isModules = /(?:^|[/\\])node_modules$/.test(folder);
  return (entry) => {
    const { name } = entry;
    const lower = name.toLowerCase();
    if (otherFiles.has(lower) || name.startsWith('._')) return true;
    // Keep a compiled file without its source: it may be the only copy.
    if (!entry.isDirectory()) return lower.endsWith('.pyc') && names.has(name.slice(0, -1));
    if (name === 'node_modules') return canInstall;
    // Contains only links to programs of the packages next to it.
    return otherFolders.has(lower) || (isModules && name === '.bin');
  };
}

async function declaresDependencies(folder: string): Promise<boolean> {
  const file = await readRegularFile(join(folder, 'package.json'), { maxBytes: maxPackageJsonBytes });
  if (file.kind !== 'content') return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(file.bytes.toString());
  } catch {
    return false;
  }
  if (!isJsonObject(parsed)) return false;
  return [parsed.dependencies, parsed.optionalDependencies].some(
    (needs) => isJsonObject(needs) && Object.keys(needs).length > 0,
  );
}

const mostNamed = 5;

/** Lists the omitted entries in one sentence; none if there are none. */
export function leftOutNotes(paths: readonly string[]): Text[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, mostNamed).map(showName).join(', ');
  const more = paths.length - mostNamed;
  return [
    {
      en: `Not included, because it can be created again when needed: ${named}${more > 0 ? ` and ${more} more` : ''}.`,
      zh: `以下内容可在需要时重新生成，未包含在内：${named}${more > 0 ? ` 等 ${paths.length} 项` : ''}。`,
    },
  ];
}
