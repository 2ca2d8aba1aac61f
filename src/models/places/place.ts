import { join } from 'node:path';

import type { Witness } from '../evidence.ts';
import type { ModelPlace } from '../model.ts';
import { parseRepoId, type RepoId } from '../repo-id.ts';
import { entriesOf } from '../scan-folder.ts';

/** A folder where models lie, in a layout of its own. */
export interface Place {
  readonly kind: ModelPlace;
  readonly root: string;
  readonly isRemovable: boolean;
  /** The repos that it has something of. */
  repos(witness: Witness): Promise<RepoId[]>;
  holding(repo: RepoId, witness: Witness): Promise<Holding | null>;
}

/** How models lie below a root. */
interface PlaceLayout {
  repos(root: string, witness: Witness): Promise<RepoId[]>;
  holding(root: string, repo: RepoId, witness: Witness): Promise<Holding | null>;
}

export type PlaceTraits = Pick<Place, 'kind' | 'isRemovable'>;

/** The place at a root, with the layout it has. */
export function placeAt(root: string, traits: PlaceTraits, layout: PlaceLayout): Place {
  return {
    ...traits,
    root,
    repos: (witness) => layout.repos(root, witness),
    holding: (repo, witness) => layout.holding(root, repo, witness),
  };
}

/** What a place has of a repo. */
export interface Holding {
  /** All of it, which is what goes when the model is removed. */
  readonly folder: string;
  /** A link to the folder under another name, which goes with it. */
  readonly link: string | null;
  /** The folders that may be the model, the best first. */
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly folder: string;
  readonly revision: string | null;
  /** Where a list of the files would be. */
  readonly list: string | null;
  /** Where it would be written which files Hob was asked for. */
  readonly asked: string | null;
  /** What the downloader itself left as a sign. */
  readonly mark: 'finished' | 'unfinished' | null;
}

/**
 * The folder with exactly this name: on some disks another spelling finds it, too. A link is none, so that a path made of such folders
 * never leaves the root it began at.
 */
export async function childFolder(parent: string, name: string, witness: Witness): Promise<string | null> {
  const path = join(parent, name);
  const found = await witness.look(path);
  if (!found?.isDirectory()) return null;
  if (!witness.sights.has(parent)) await witness.look(parent, { follow: true });
  return (await entriesOf(parent)).some((entry) => entry.name === name) ? path : null;
}

/** Follows names, each a folder in the one before. */
export async function descend(
  root: string,
  names: readonly string[],
  witness: Witness,
): Promise<string | null> {
  await witness.look(root, { follow: true });
  let folder: string | null = root;
  for (const name of names) {
    if (folder === null) break;
    folder = await childFolder(folder, name, witness);
  }
  return folder;
}

/** The names of the folders in a folder. */
export async function foldersIn(folder: string, witness: Witness): Promise<string[]> {
  if (!witness.sights.has(folder)) await witness.look(folder, { follow: true });
  return (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The repos of a root with a folder for each owner, and in it one for each name. */
export async function ownersAndNames(root: string, witness: Witness): Promise<RepoId[]> {
  const repos: RepoId[] = [];
  for (const owner of await foldersIn(root, witness)) {
    // What cannot be an owner is not looked into: it may be large.
    if (parseRepoId(`${owner}/name`) === null) continue;
    for (const name of await foldersIn(join(root, owner), witness)) {
      const repo = parseRepoId(`${owner}/${name}`);
      if (repo !== null) repos.push(repo);
    }
  }
  return repos;
}

/** Sorts snapshots: those named first, in their order, then the newest. */
export async function byPreference(
  parent: string,
  names: readonly string[],
  preferred: readonly string[],
  witness: Witness,
): Promise<string[]> {
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await witness.look(join(parent, name)))?.mtimeNs ?? 0n })),
  );
  const newestFirst = dated.sort((a, b) => (a.at < b.at ? 1 : -1)).map(({ name }) => name);
  return [...new Set([...preferred.filter((name) => names.includes(name)), ...newestFirst])];
}
