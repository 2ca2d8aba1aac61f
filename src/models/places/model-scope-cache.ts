import { join } from 'node:path';

import type { Witness } from '../evidence.ts';
import { parseRepoId, type RepoId } from '../repo-id.ts';
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

/** Excludes hidden folders, which downloaders use for temporary files. */
const revisionName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** The cache of newer versions of ModelScope's library: `models/OWNER--NAME/snapshots/REVISION`, with plain files. */
export function modelScopeCache(root: string, traits: PlaceTraits): Place {
  return placeAt(root, traits, { repos: reposIn, holding: holdingIn });
}

async function reposIn(root: string, witness: Witness): Promise<RepoId[]> {
  const models = await descend(root, ['models'], witness);
  if (models === null) return [];
  const repos = (await foldersIn(models, witness)).map((folder) => {
    const [, owner, name] = /^(.+?)--(.+)$/.exec(folder) ?? [];
    return parseRepoId(`${owner ?? ''}/${name ?? ''}`);
  });
  return repos.filter((repo) => repo !== null);
}

async function holdingIn(root: string, { owner, name }: RepoId, witness: Witness): Promise<Holding | null> {
  const folder = await descend(root, ['models', `${owner}--${name}`], witness);
  if (folder === null) return null;
  const snapshots = await childFolder(folder, 'snapshots', witness);
  if (snapshots === null) return { folder, link: null, candidates: [] };
  const revisions = (await foldersIn(snapshots, witness)).filter((revision) => revisionName.test(revision));
  const ordered = await byPreference(snapshots, revisions, ['master'], witness);
  const candidates = ordered.map((revision) => ({
    folder: join(snapshots, revision),
    revision,
    list: join(snapshots, revision, '.hob.json'),
    asked: join(folder, '.hob', `${revision}.json`),
    mark: null,
  }));
  return { folder, link: null, candidates };
}
