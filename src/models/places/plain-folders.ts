import type { Witness } from '../evidence.ts';
import type { RepoId } from '../repo-id.ts';
import { descend, type Holding, ownersAndNames, type Place, type PlaceTraits, placeAt } from './place.ts';

/** Folders `OWNER/NAME` with plain files: Hob's own folder, and folders that users arrange. */
export function plainFolders(root: string, traits: PlaceTraits): Place {
  return placeAt(root, traits, { repos: ownersAndNames, holding: holdingIn });
}

async function holdingIn(root: string, { owner, name }: RepoId, witness: Witness): Promise<Holding | null> {
  const folder = await descend(root, [owner, name], witness);
  if (folder === null) return null;
  return {
    folder,
    link: null,
    candidates: [{ folder, revision: null, list: null, asked: null, mark: null }],
  };
}
