import { join } from 'node:path';
import type { ModelPlace } from '../../contract/values.ts';
import { readText } from '../download-records.ts';
import type { Witness } from '../evidence.ts';
import { parseRepoId } from '../repo-id.ts';
import { entriesOf } from '../scan-folder.ts';
import { childFolder, descend, foldersIn, type Place } from './place.ts';

const commit = /^[0-9a-f]{40}$/;
/** Excludes hidden folders, which downloaders use for temporary files. */
const revisionName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const mostRefs = 64;

/** The cache of Python's huggingface_hub: `models--OWNER--NAME/{blobs,refs,snapshots,trees}`. */
export function huggingFaceCache(root: string, kind: ModelPlace): Place {
  return snapshotCache(root, kind, {
    below: [],
    prefix: 'models--',
    snapshotName: commit,
    preferred: refsOf,
    listOf: (folder, revision) => join(folder, 'trees', `${revision}.json`),
  });
}

/** The cache of newer versions of ModelScope's library: `models/OWNER--NAME/snapshots/REVISION`, with plain files. */
export function modelScopeCache(root: string, kind: ModelPlace): Place {
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
