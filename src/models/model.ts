import type { ModelPlace } from '../contract/values.ts';
import type { RepoId } from './repo-id.ts';

export interface FoundModel {
  readonly repo: RepoId;
  readonly place: ModelPlace;
  readonly folder: string;
  readonly revision: string | null;
  readonly sizeBytes: number;
  readonly state: 'complete' | 'partial';
  readonly isRemovable: boolean;
}
