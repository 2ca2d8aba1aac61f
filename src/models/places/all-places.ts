import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import type { ModelPlace } from '../../contract/values.ts';
import { readText } from '../download-records.ts';
import type { Witness } from '../evidence.ts';
import { parseRepoId, type RepoId } from '../repo-id.ts';
import { entriesOf } from '../scan-folder.ts';
import {
  type Candidate,
  childFolder,
  descend,
  foldersIn,
  type Holding,
  ownersAndNames,
  type Place,
} from './place.ts';

const mostOwners = 200;

export interface ModelFolders {
  /** Hob's own folder, with models in `owner/name`. */
  readonly models: string;
  readonly huggingFaceCache: string;
  readonly modelScopeCaches: { readonly current: string; readonly old: string };
  readonly extra: readonly string[];
}

/** The places to search for models, in this order. */
export function allPlaces(folders: ModelFolders): Place[] {
  const { current, old } = folders.modelScopeCaches;
  return [
    plainFolders(resolve(folders.models), 'own'),
    huggingFaceCache(resolve(folders.huggingFaceCache), 'huggingface'),
    modelScopeCache(resolve(current), 'modelscope'),
    oldModelScopeCache(resolve(old), 'modelscope'),
    ...folders.extra.flatMap((folder) => extraFolder(resolve(folder))),
  ];
}

/**
 * A folder from the setting `model_folders`: a moved or shared cache, or folders by owner and name. Its contents show which. The
 * folder names of the caches cannot be owner names, except `models`, whose contents decide.
 */
function extraFolder(root: string): Place[] {
  const old = oldModelScopeCache(root, 'extra');
  const plain = plainFolders(root, 'extra');
  return [
    huggingFaceCache(root, 'extra'),
    modelScopeCache(root, 'extra'),
    {
      ...old,
      // The folder may not be such a cache, so only folders with a mark of ModelScope count as its models.
      holding: async (repo, witness) => {
        const holding = await old.holding(repo, witness);
        return holding?.candidates.some(({ mark }) => mark !== null) ? holding : null;
      },
    },
    {
      ...plain,
      repos: async (witness) => {
        const repos = await plain.repos(witness);
        const isCache = await isModelScope(root, witness);
        return isCache ? repos.filter(({ owner }) => owner !== 'models') : repos;
      },
      holding: async (repo, witness) =>
        repo.owner === 'models' && (await isModelScope(root, witness)) ? null : plain.holding(repo, witness),
    },
  ];
}

/** Whether the subfolder `models` belongs to ModelScope's library, and is not an owner of that name. */
async function isModelScope(root: string, witness: Witness): Promise<boolean> {
  const models = await descend(root, ['models'], witness);
  if (models === null) return false;
  for (const owner of (await foldersIn(models, witness)).slice(0, mostOwners)) {
    if (owner.includes('--')) return true;
    for (const name of await foldersIn(join(models, owner), witness)) {
      for (const mark of ['.mv', '.msc', '.mdl']) {
        if ((await witness.look(join(models, owner, name, mark))) !== null) return true;
      }
    }
  }
  return false;
}

/** Folders `OWNER/NAME` with plain files: Hob's own folder, and folders that users arrange. */
function plainFolders(root: string, kind: ModelPlace): Place {
  return {
    kind,
    root,
    repos: (witness) => ownersAndNames(root, witness),
    async holding({ owner, name }, witness) {
      const folder = await descend(root, [owner, name], witness);
      if (folder === null) return null;
      const candidate = { folder, revision: null, list: null, asked: null, mark: null };
      return { folder, link: null, candidates: [candidate] };
    },
  };
}

const commit = /^[0-9a-f]{40}$/;

/** Excludes hidden folders, which downloaders use for temporary files. */
const revisionName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const mostRefs = 64;

/** The cache of Python's huggingface_hub: `models--OWNER--NAME/{blobs,refs,snapshots,trees}`. */
function huggingFaceCache(root: string, kind: ModelPlace): Place {
  return snapshotCache(root, kind, {
    below: [],
    prefix: 'models--',
    snapshotName: commit,
    preferred: refsOf,
    listOf: (folder, revision) => join(folder, 'trees', `${revision}.json`),
  });
}

/** The cache of newer versions of ModelScope's library: `models/OWNER--NAME/snapshots/REVISION`, with plain files. */
function modelScopeCache(root: string, kind: ModelPlace): Place {
  return snapshotCache(root, kind, {
    below: ['models'],
    prefix: '',
    snapshotName: revisionName,
    preferred: async () => ['master'],
    listOf: (folder, revision) => join(folder, 'snapshots', revision, '.hob.json'),
  });
}

/** The differences between the two caches. */
interface SnapshotLayout {
  /** Folders between the root and the repos. */
  readonly below: readonly string[];
  /** Text before `OWNER--NAME` in the name of a repo's folder. */
  readonly prefix: string;
  readonly snapshotName: RegExp;
  /** The snapshots to prefer. */
  preferred(repoFolder: string, witness: Witness): Promise<string[]>;
  /** Path of the list of files. */
  listOf(repoFolder: string, revision: string): string;
}

function snapshotCache(root: string, kind: ModelPlace, layout: SnapshotLayout): Place {
  const { below, prefix, snapshotName, preferred, listOf } = layout;
  return {
    kind,
    root,
    async repos(witness) {
      const parent = await descend(root, below, witness);
      const folders = parent === null ? [] : await foldersIn(parent, witness);
      const repos = folders.map((folder) => {
        if (!folder.startsWith(prefix)) return null;
        const [, owner, name] = /^(.+?)--(.+)$/.exec(folder.slice(prefix.length)) ?? [];
        return parseRepoId(`${owner ?? ''}/${name ?? ''}`);
      });
      return repos.filter((repo) => repo !== null);
    },
    async holding({ owner, name }, witness) {
      const folder = await descend(root, [...below, `${prefix}${owner}--${name}`], witness);
      if (folder === null) return null;
      const snapshots = await childFolder(folder, 'snapshots', witness);
      if (snapshots === null) return { folder, link: null, candidates: [] };
      const names = (await foldersIn(snapshots, witness)).filter((each) => snapshotName.test(each));
      const ordered = await byPreference(snapshots, names, await preferred(folder, witness), witness);
      const candidates = ordered.map((revision) => ({
        folder: join(snapshots, revision),
        revision,
        list: listOf(folder, revision),
        asked: join(folder, '.hob', `${revision}.json`),
        mark: null,
      }));
      return { folder, link: null, candidates };
    },
  };
}

/** Sorts snapshots: the preferred ones in their order, then the others, newest first. */
async function byPreference(
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

/**
 * The cache of older versions of ModelScope's library: `models/OWNER/NAME`, with `___` in place of each `.`, and a link with the
 * true name beside it. The library writes the file `.msc` first and `.mv` last.
 */
function oldModelScopeCache(root: string, kind: ModelPlace): Place {
  return {
    kind,
    root,
    repos: (witness) => reposIn(root, witness),
    holding: (repo, witness) => holdingIn(root, repo, witness),
  };
}

const masked = (name: string) => name.replaceAll('.', '___');

async function holdingIn(root: string, { owner, name }: RepoId, witness: Witness): Promise<Holding | null> {
  const trueName = join(root, 'models', owner, name);
  const folder =
    (await descend(root, ['models', masked(owner), masked(name)], witness)) ??
    // Some versions keep the dots in the name and make no link.
    (await descend(root, ['models', owner, name], witness));
  if (folder === null) return null;
  const link = trueName !== folder && (await isLinkTo(folder, trueName)) ? trueName : null;
  return { folder, link, candidates: [await candidateAt(folder, witness)] };
}

async function candidateAt(folder: string, witness: Witness): Promise<Candidate> {
  const isFinished = (await witness.look(join(folder, '.mv'))) !== null;
  const isBegun = (await witness.look(join(folder, '.msc'))) !== null;
  const mark = isFinished ? 'finished' : isBegun ? 'unfinished' : null;
  return { folder, revision: isFinished ? await revisionOf(folder) : null, list: null, asked: null, mark };
}

/** Reads the revision from `.mv`, which has a line such as `Revision:master,CreatedAt:1718000000`. */
async function revisionOf(folder: string): Promise<string | null> {
  const mark = (await readText(join(folder, '.mv'), 10_000)) ?? '';
  return /Revision:\s*([\w./-]{1,200})/.exec(mark)?.[1] ?? null;
}

async function reposIn(root: string, witness: Witness): Promise<RepoId[]> {
  const models = await descend(root, ['models'], witness);
  if (models === null) return [];
  const repos: RepoId[] = [];
  for (const { owner, name } of await ownersAndNames(models, witness)) {
    const folder = join(models, owner, name);
    repos.push((await linkedRepo(models, folder)) ?? unmasked({ owner, name }));
  }
  return repos;
}

/** The true name of a folder, from the link that points to it. */
async function linkedRepo(models: string, folder: string): Promise<RepoId | null> {
  const [owner, name] = [basename(dirname(folder)), basename(folder)];
  if (!`${owner}/${name}`.includes('___')) return { owner, name };
  const owners = (await entriesOf(models))
    .map((entry) => entry.name)
    .filter((each) => masked(each) === owner);
  for (const trueOwner of owners) {
    for (const entry of await entriesOf(join(models, trueOwner))) {
      if (!entry.isSymbolicLink() || masked(entry.name) !== name) continue;
      const target = await readlink(join(models, trueOwner, entry.name)).catch(() => '');
      if (basename(target) === name) return parseRepoId(`${trueOwner}/${entry.name}`);
    }
  }
  return null;
}

function unmasked(repo: RepoId): RepoId {
  const { owner, name } = repo;
  return parseRepoId(`${owner}/${name}`.replaceAll('___', '.')) ?? repo;
}

/** The user may have made a link of that name to another folder. */
async function isLinkTo(folder: string, path: string): Promise<boolean> {
  const target = await readlink(path).catch(() => null);
  if (target === null) return false;
  const [leadsTo, real] = await Promise.all([path, folder].map((each) => realpath(each).catch(() => null)));
  return leadsTo !== null && leadsTo === real;
}
