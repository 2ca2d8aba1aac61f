import { resolve } from 'node:path';

import { extraFolder } from './extra-folder.ts';
import { huggingFaceCache } from './hugging-face-cache.ts';
import { modelScopeCache } from './model-scope-cache.ts';
import { oldModelScopeCache } from './old-model-scope-cache.ts';
import type { Place } from './place.ts';
import { plainFolders } from './plain-folders.ts';

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
    plainFolders(resolve(folders.models), { kind: 'own', isRemovable: true }),
    huggingFaceCache(resolve(folders.huggingFaceCache), { kind: 'huggingface', isRemovable: true }),
    modelScopeCache(resolve(current), { kind: 'modelscope', isRemovable: true }),
    oldModelScopeCache(resolve(old), { kind: 'modelscope', isRemovable: true }),
    ...folders.extra.flatMap((folder) => extraFolder(resolve(folder))),
  ];
}
