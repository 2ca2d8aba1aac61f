import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { type LoadedFolder, loadFolder } from '../../scripts/load-folder.ts';
import { type AppError, errnoOf, isExhaustion } from '../../shared/errors.ts';
import { splitPath } from './entry-names.ts';
import { refusal, showName } from './package-errors.ts';

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
export async function findScript(root: string, path: string | null): Promise<string> {
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
