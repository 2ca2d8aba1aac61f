import type { RepoId } from './repo-id.ts';

export const modelSources = ['huggingface', 'modelscope'] as const;
export type ModelSource = (typeof modelSources)[number];

export interface FoundModel {
  readonly repo: RepoId;
  readonly place: 'own' | 'huggingface' | 'modelscope' | 'extra';
  readonly folder: string;
  readonly revision: string | null;
  readonly sizeBytes: number;
  readonly state: 'complete' | 'partial';
  readonly isRemovable: boolean;
}
