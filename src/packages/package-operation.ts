import type { Problem } from '../scripts/script.ts';
import type { AppError } from '../shared/errors.ts';
import type { Feed } from '../shared/feed.ts';
import type { Text } from '../shared/text.ts';
import type { PackageSource } from './package-source.ts';

export const operationKinds = ['install', 'update', 'rollback', 'prepare'] as const;
export type OperationKind = (typeof operationKinds)[number];

export const operationStates = ['running', 'done', 'failed', 'cancelled'] as const;
export type OperationState = (typeof operationStates)[number];

/** What it is at, in this order; not every operation has all of them. */
export const operationStages = ['fetching', 'checking', 'preparing', 'switching'] as const;
export type OperationStage = (typeof operationStages)[number];

/** A package being installed or the like, as others see it at one moment. */
export interface OperationView {
  readonly id: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  /** Null when it has ended. */
  readonly stage: OperationStage | null;
  /** Null until it is known. */
  readonly script: { readonly id: string; readonly name: string; readonly version: string | null } | null;
  readonly source: PackageSource | null;
  readonly entriesDone: number;
  readonly bytesDone: number;
  /** The run that prepares the environment, with its log. */
  readonly runId: string | null;
  /** What its user should know of, though it does not stop it. */
  readonly warnings: readonly Text[];
  /** Everything wrong with the package. */
  readonly problems: readonly Problem[];
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly error: AppError | null;
}

/** What can be done with packages, as far as others need to know. */
export interface PackageOperations {
  readonly progress: Feed<OperationView>;
  list(): OperationView[];
  find(id: string): OperationView | null;
  /** Whether there was something to stop. */
  cancel(id: string): boolean;
}
