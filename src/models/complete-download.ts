import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { isJsonObject } from '../shared/json.ts';

/** Names that downloaders give to what is not finished. */
const unfinished = /(?:\.incomplete|\.part|\.partial|\.tmp|\.aria2|\.crdownload|\.download)$|^\._____temp$/i;
const shardIndex = /\.index\.json$/;
const largestIndexBytes = 32 * 1024 * 1024;

/**
 * Whether a folder holds a whole model, as far as its files can tell: it has some, none is unfinished, no link leads
 * nowhere, and every shard that an index names is there.
 */
export async function isCompleteDownload(folder: string): Promise<boolean> {
  const files: string[] = [];
  try {
    await collect(folder, '', files, 0);
    if (files.length === 0) return false;
    const present = new Set(files);
    for (const index of files.filter((file) => shardIndex.test(file))) {
      const shards = await shardsOf(folder, index);
      if (!shards.every((shard) => present.has(shard))) return false;
    }
    return true;
  } catch {
    // A link that leads nowhere, or a file that went away while we looked.
    return false;
  }
}

const deepestFolder = 16;
const mostFiles = 100_000;

async function collect(root: string, below: string, files: string[], depth: number): Promise<void> {
  if (depth > deepestFolder || files.length > mostFiles) throw new Error('more than a model has');
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (unfinished.test(entry.name)) throw new Error(`${path} is unfinished`);
    // A link counts as what it is, a file: a linked folder may be anywhere, and lead back here. One that leads nowhere fails.
    if (entry.isSymbolicLink()) await stat(join(root, path));
    if (entry.isDirectory()) await collect(root, path, files, depth + 1);
    else files.push(path);
  }
}

async function shardsOf(folder: string, index: string): Promise<string[]> {
  const path = join(folder, index);
  if ((await stat(path)).size > largestIndexBytes) return [];
  const content: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!isJsonObject(content) || !isJsonObject(content.weight_map)) return [];
  const below = dirname(index);
  const shards = new Set(Object.values(content.weight_map).filter((shard) => typeof shard === 'string'));
  return [...shards].map((shard) => (below === '.' ? shard : `${below}/${shard}`));
}
