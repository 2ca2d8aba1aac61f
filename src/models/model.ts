import type { RepoId } from './repo-id.ts';

/** Where models come from. */
export const modelSources = ['huggingface', 'modelscope'] as const;

export type ModelSource = (typeof modelSources)[number];

/** A model that lies on this machine, and where. */
export interface FoundModel {
  readonly repo: RepoId;
  readonly place: 'own' | 'huggingface' | 'modelscope' | 'extra';
  readonly folder: string;
  readonly revision: string | null;
  readonly sizeBytes: number;
  readonly state: 'complete' | 'partial';
  readonly isRemovable: boolean;
}
