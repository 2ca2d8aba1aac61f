import { join } from 'node:path';
import { readText } from '../download-records.ts';
import type { Witness } from '../evidence.ts';
import { parseRepoId, type RepoId } from '../repo-id.ts';
import { entriesOf } from '../scan-folder.ts';
import {
  byPreference,
  childFolder,
  descend,
  foldersIn,
  type Holding,
  type Place,
  type PlaceTraits,
  placeAt,
} from './place.ts';

const commit = /^[0-9a-f]{40}$/;
const mostRefs = 64;

/** The cache of Python's huggingface_hub: `models--OWNER--NAME/{blobs,refs,snapshots,trees}`. */
export function huggingFaceCache(root: string, traits: PlaceTraits): Place {
  return placeAt(root, traits, { repos: reposIn, holding: holdingIn });
}

async function reposIn(root: string, witness: Witness): Promise<RepoId[]> {
  const repos = (await foldersIn(root, witness)).map((folder) => {
    const [, owner, name] = /^models--(.+?)--(.+)$/.exec(folder) ?? [];
    return parseRepoId(`${owner ?? ''}/${name ?? ''}`);
  });
  return repos.filter((repo) => repo !== null);
}

async function holdingIn(root: string, { owner, name }: RepoId, witness: Witness): Promise<Holding | null> {
  const folder = await descend(root, [`models--${owner}--${name}`], witness);
  if (folder === null) return null;
  const snapshots = await childFolder(folder, 'snapshots', witness);
  if (snapshots === null) return { folder, link: null, candidates: [] };
  const commits = (await foldersIn(snapshots, witness)).filter((snapshot) => commit.test(snapshot));
  const ordered = await byPreference(snapshots, commits, await refsOf(folder, witness), witness);
  const candidates = ordered.map((revision) => ({
    folder: join(snapshots, revision),
    revision,
    list: join(folder, 'trees', `${revision}.json`),
    asked: join(folder, '.hob', `${revision}.json`),
    mark: null,
  }));
  return { folder, link: null, candidates };
}

/** The commits of all refs, `main` first. */
async function refsOf(repoFolder: string, witness: Witness): Promise<string[]> {
  const refs = join(repoFolder, 'refs');
  await witness.look(refs);
  const names = (await entriesOf(refs)).filter((entry) => entry.isFile()).map(({ name }) => name);
  const others = names.filter((name) => name !== 'main').sort();
  const commits: string[] = [];
  for (const name of ['main', ...others].slice(0, mostRefs)) {
    await witness.look(join(refs, name));
    commits.push(((await readText(join(refs, name), 1000)) ?? '').trim());
  }
  return commits;
}
