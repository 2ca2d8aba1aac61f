import { join } from 'node:path';

import type { ModelPlace } from '../../contract/values.ts';
import type { Witness } from '../evidence.ts';
import { parseRepoId, type RepoId } from '../repo-id.ts';
import { entriesOf } from '../scan-folder.ts';

/** A folder that contains models, with its own layout. */
export interface Place {
  readonly kind: ModelPlace;
  readonly root: string;
  /** The repos of which it has at least a part. */
  repos(witness: Witness): Promise<RepoId[]>;
  holding(repo: RepoId, witness: Witness): Promise<Holding | null>;
}

/** The files of a repo in one place. */
export interface Holding {
  /** Contains all files of the repo. Removing the model removes this folder. */
  readonly folder: string;
  /** A link to the folder with another name. It is removed with the folder. */
  readonly link: string | null;
  /** The folders that may be the model, best first. */
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly folder: string;
  readonly revision: string | null;
  /** Path of the list of files, which may not exist. */
  readonly list: string | null;
  /** Path of the record of the requested files, which may not exist. */
  readonly asked: string | null;
  /** The state according to marker files of the downloader. */
  readonly mark: 'finished' | 'unfinished' | null;
}

/**
 * The subfolder with exactly this name, or null. Compares names, because some disks also find other spellings. Refuses links, so a
 * path of such folders never leaves its root.
 */
export async function childFolder(parent: string, name: string, witness: Witness): Promise<string | null> {
  const path = join(parent, name);
  const found = await witness.look(path);
  if (!found?.isDirectory()) return null;
  if (!witness.sights.has(parent)) await witness.look(parent, { follow: true });
  return (await entriesOf(parent)).some((entry) => entry.name === name) ? path : null;
}

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

export async function foldersIn(folder: string, witness: Witness): Promise<string[]> {
  if (!witness.sights.has(folder)) await witness.look(folder, { follow: true });
  return (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The repos in a root with the layout `OWNER/NAME`. */
export async function ownersAndNames(root: string, witness: Witness): Promise<RepoId[]> {
  const repos: RepoId[] = [];
  for (const owner of await foldersIn(root, witness)) {
    // Skip folders that cannot be an owner, because they may be large.
    if (parseRepoId(`${owner}/name`) === null) continue;
    for (const name of await foldersIn(join(root, owner), witness)) {
      const repo = parseRepoId(`${owner}/${name}`);
      if (repo !== null) repos.push(repo);
    }
  }
  return repos;
}
