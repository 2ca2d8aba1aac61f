import type { RepoId } from './repo-id.ts';

export const modelSources = ['huggingface', 'modelscope'] as const;
export type ModelSource = (typeof modelSources)[number];

export const modelPlaces = ['own', 'huggingface', 'modelscope', 'extra'] as const;
export type ModelPlace = (typeof modelPlaces)[number];

export interface FoundModel {
  readonly repo: RepoId;
  readonly place: ModelPlace;
  readonly folder: string;
  readonly revision: string | null;
  readonly sizeBytes: number;
  readonly state: 'complete' | 'partial';
  readonly isRemovable: boolean;
}
