import { join, resolve } from 'node:path';
import type { ModelPlace } from '../../contract/values.ts';
import type { Witness } from '../evidence.ts';
import { oldModelScopeCache } from './old-model-scope-cache.ts';
import { descend, foldersIn, ownersAndNames, type Place } from './place.ts';
import { huggingFaceCache, modelScopeCache } from './snapshot-caches.ts';

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
