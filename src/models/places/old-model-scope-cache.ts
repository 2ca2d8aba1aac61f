import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ModelPlace } from '../../contract/values.ts';
import { readText } from '../download-records.ts';
import type { Witness } from '../evidence.ts';
import { parseRepoId, type RepoId } from '../repo-id.ts';
import { entriesOf } from '../scan-folder.ts';
import { type Candidate, descend, type Holding, ownersAndNames, type Place } from './place.ts';

/**
 * The cache of older versions of ModelScope's library: `models/OWNER/NAME`, with `___` in place of each `.`, and a link with the
 * true name beside it. The library writes the file `.msc` first and `.mv` last.
 */
export function oldModelScopeCache(root: string, kind: ModelPlace): Place {
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
