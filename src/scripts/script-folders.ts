import { readdir } from 'node:fs/promises';

const ignoredFolders = new Set(['node_modules', '__pycache__', 'venv', 'site-packages', '$RECYCLE.BIN']);

/** Folders of tools and dependencies, which contain no scripts. */
export function isIgnoredFolder(name: string): boolean {
  return name.startsWith('.') || ignoredFolders.has(name);
}

/** The subfolders that may contain scripts. */
export async function folderNames(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true });
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !isIgnoredFolder(entry.name))
    .map((entry) => entry.name);
}

/** Number of folders read in parallel: enough for the disk, few enough for a small limit of file handles. */
const parallelLoads = 32;
export const parallelInGroup = 4;

export async function inParallel<Item extends string | object>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  limit = parallelLoads,
): Promise<void> {
  const pending = [...items];
  const workers = Array.from({ length: limit }, async () => {
    for (let item = pending.pop(); item !== undefined; item = pending.pop()) await work(item);
  });
  await Promise.all(workers);
}
