import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { type LoadedFolder, loadFolder } from '../../scripts/load-folder.ts';
import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import { splitPath } from './check-name.ts';
import { showName } from './show-name.ts';

const deepest = 3;
const mostNamed = 20;

/** In these lies what others wrote. */
const foreignFolders = new Set(['node_modules', '__pycache__', 'venv']);

/**
 * The folder of the script in what was fetched: the one that was asked for, the root itself, or the only one further down that has a
 * manifest. Archives often have one folder around all they hold: it counts as the root.
 */
export async function findScript(root: string, path: string | null): Promise<string> {
  const unwrapped = await unwrap(root);
  if (path !== null) return chosen([root, unwrapped], path);
  const top = await loadFolder(unwrapped);
  if (top !== null && isMeant(top)) return unwrapped;
  const found = await search(unwrapped);
  const [only, second] = found;
  if (second !== undefined) throw several(found);
  if (only !== undefined) return join(unwrapped, only);
  // Some TOML file that cannot be read may be a manifest after all; what is wrong with it is worth being told.
  if (top !== null) return unwrapped;
  throw new AppError(
    'package-not-a-script',
    {
      en: 'There is no script in it: no folder has a manifest',
      zh: '其中没有脚本：没有任何文件夹包含清单文件',
    },
    {
      hint: {
        en: 'A script has a TOML file with info.id and runtime.entry in one table; docs/manifest.md shows one.',
        zh: '脚本需要一个 TOML 文件，在同一个表中包含 info.id 和 runtime.entry，示例见 docs/manifest.md。',
      },
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
    // Nothing that was unpacked is a link.
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() && (await loadFolder(folder)) !== null) return folder;
  }
  throw new AppError(
    'package-not-a-script',
    { en: `There is no script at ${showName(path)} in it`, zh: `其中的 ${showName(path)} 处没有脚本` },
    {
      hint: {
        en: 'Leave the path out to see which scripts there are.',
        zh: '不指定路径即可查看有哪些脚本。',
      },
    },
  );
}

/** Whether it is a manifest without doubt, and not just some TOML file. */
function isMeant(loaded: LoadedFolder): boolean {
  return (
    loaded.kind === 'script' || loaded.ids.length > 0 || loaded.name !== null || hasCanonicalName(loaded)
  );
}

function hasCanonicalName(loaded: LoadedFolder & { kind: 'broken' }): boolean {
  return loaded.problems.some(({ file }) => /[/\\]script\.toml$/.test(file));
}

/** Relative paths of the folders below that hold a script. What lies inside a script belongs to it. */
async function search(root: string, prefix = '', depth = 1): Promise<string[]> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !foreignFolders.has(entry.name))
    .map(({ name }) => name)
    .toSorted();
  const found: string[] = [];
  for (const name of names) {
    const path = `${prefix}${name}`;
    const loaded = await loadFolder(join(root, path));
    if (loaded !== null && isMeant(loaded)) found.push(path);
    else if (depth < deepest) found.push(...(await search(root, `${path}/`, depth + 1)));
  }
  return found;
}

function several(paths: readonly string[]): AppError {
  const named = paths.slice(0, mostNamed).map(showName).join(', ');
  const more = paths.length > mostNamed ? ', …' : '';
  const hint: Text = {
    en: 'Say which one with its path, as in --path <folder>.',
    zh: '请用路径指定其中一个，例如 --path <文件夹>。',
  };
  return new AppError(
    'package-not-a-script',
    {
      en: `There are ${paths.length} scripts in it: ${named}${more}`,
      zh: `其中有 ${paths.length} 个脚本：${named}${more}`,
    },
    { hint },
  );
}
