import { dirname, join } from 'node:path';

import { isJsonObject } from '../shared/json.ts';
import { readAskedFiles } from './asked-files.ts';
import type { Witness } from './evidence.ts';
import { readFileList, readJson } from './file-list.ts';
import { compileGlob, compileGlobs } from './glob.ts';
import type { Candidate } from './places/place.ts';
import { type Scan, scanFolder } from './scan-folder.ts';

/** Which files of a repo the scripts that name it need. */
export interface Wanted {
  /** Whether one of them, or nobody, says which: then all of them are. */
  readonly isAll: boolean;
  /** Whether any script names the repo at all. */
  readonly isDeclared: boolean;
  readonly globs: readonly string[];
}

/** `empty`: there is not one file. */
export type Verdict = 'complete' | 'partial' | 'empty';

const shardIndex = /\.index\.json$/;
const largestIndexBytes = 32 * 1024 * 1024;

/** Whether a folder holds all that is wanted of a model, as far as it can be told without asking its source. */
export async function judgeDownload(
  candidate: Candidate,
  { root, wanted, witness }: { root: string; wanted: Wanted; witness: Witness },
): Promise<Verdict> {
  const scan = await scanFolder(candidate.folder, { root, witness });
  if (![...scan.sizes.keys()].some((path) => !path.startsWith('.'))) return 'empty';
  const list = candidate.list === null ? null : await readFileList(candidate.list, witness);
  const needed = wanted.isDeclared ? wanted : await askedFor(candidate, wanted, witness);
  const isComplete =
    list === null
      ? await looksComplete(candidate, scan, { wanted: needed, witness })
      : hasListed(list, scan.sizes, needed);
  return isComplete ? 'complete' : 'partial';
}

/** Where no script says what it needs, it is what people asked for. */
async function askedFor({ asked }: Candidate, wanted: Wanted, witness: Witness): Promise<Wanted> {
  const globs = asked === null ? null : await readAskedFiles(asked, witness);
  return globs === null ? wanted : { ...wanted, isAll: globs.length === 0, globs };
}

function hasListed(
  list: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, number>,
  { isAll, globs }: Wanted,
): boolean {
  const isNeeded = isAll ? () => true : compileGlobs(globs);
  const needed = [...list].filter(([path]) => isNeeded(path));
  return needed.length > 0 && needed.every(([path, size]) => sizes.get(path) === size);
}

/** Without a list there are only signs. */
async function looksComplete(
  { folder, mark }: Candidate,
  { sizes, hasFault }: Scan,
  { wanted, witness }: { wanted: Wanted; witness: Witness },
): Promise<boolean> {
  const paths = [...sizes.keys()];
  // Whoever downloads a part of a repo finishes, too: that says nothing about what the scripts need.
  if (!wanted.globs.every((glob) => paths.some(compileGlob(glob)))) return false;
  if (mark !== null) return mark === 'finished';
  if (hasFault) return false;
  for (const index of paths.filter((path) => shardIndex.test(path))) {
    await witness.look(join(folder, index), { follow: true });
    const shards = await shardsOf(folder, index);
    if (!shards.every((shard) => sizes.has(shard))) return false;
  }
  return true;
}

async function shardsOf(folder: string, index: string): Promise<string[]> {
  const content = await readJson(join(folder, index), largestIndexBytes);
  if (!isJsonObject(content) || !isJsonObject(content.weight_map)) return [];
  const below = dirname(index);
  const shards = new Set(Object.values(content.weight_map).filter((shard) => typeof shard === 'string'));
  return [...shards].map((shard) => (below === '.' ? shard : `${below}/${shard}`));
}
