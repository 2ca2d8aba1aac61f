import { dirname, join } from 'node:path';

import { isJsonObject } from '../shared/json.ts';
import { readAskedFiles, readFileList, readJson } from './download-records.ts';
import type { Witness } from './evidence.ts';
import { compileGlob, compileGlobs } from './glob.ts';
import type { Candidate } from './places/place.ts';
import { type Scan, scanFolder } from './scan-folder.ts';

/** The files of a repo that scripts need. */
export interface Wanted {
  /** Whether all files are needed: a script names the repo without globs, or no script names it. */
  readonly isAll: boolean;
  readonly isDeclared: boolean;
  readonly globs: readonly string[];
}

/** `empty`: the folder has no visible files. */
export type Verdict = 'complete' | 'partial' | 'empty';

const shardIndex = /\.index\.json$/;
const largestIndexBytes = 32 * 1024 * 1024;

/** Judges from the local files alone whether a folder has all needed files of a model. */
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

/** If no script names the repo, the needed files are those that users asked Hob to download. */
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

/** Judges by heuristics, because there is no list of files. */
async function looksComplete(
  { folder, mark }: Candidate,
  { sizes, hasFault }: Scan,
  { wanted, witness }: { wanted: Wanted; witness: Witness },
): Promise<boolean> {
  const paths = [...sizes.keys()];
  // A download of only some files also leaves the mark `finished`, so check the needed globs first.
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
