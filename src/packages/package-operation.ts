import type { OperationKind, OperationStage, OperationState } from '../contract/values.ts';
import type { Problem } from '../scripts/script.ts';
import type { AppError } from '../shared/errors.ts';
import type { Feed } from '../shared/feed.ts';
import type { Text } from '../shared/text.ts';
import type { PackageSource } from './package-source.ts';

/** Snapshot of a package operation. */
export interface OperationView {
  readonly id: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  /** Null after the end. */
  readonly stage: OperationStage | null;
  /** Null until known. */
  readonly script: { readonly id: string; readonly name: string; readonly version: string | null } | null;
  readonly source: PackageSource | null;
  readonly entriesDone: number;
  readonly bytesDone: number;
  /** The run that prepares the environment, with its log. */
  readonly runId: string | null;
  /** Warnings for the user, which do not stop the operation. */
  readonly warnings: readonly Text[];
  /** Problems of the package. */
  readonly problems: readonly Problem[];
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly error: AppError | null;
}

/** The public part of the package operations. */
export interface PackageOperations {
  readonly progress: Feed<OperationView>;
  list(): OperationView[];
  find(id: string): OperationView | null;
  /** Returns whether the operation could be stopped. */
  cancel(id: string): boolean;
}
