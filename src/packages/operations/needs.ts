import type { Problem, Script } from '../../scripts/script.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Text } from '../../shared/text.ts';
import type { FetchedPackage, FetchProgress, PackageSource } from '../package-source.ts';
import type { PackageStore } from '../store/package-store.ts';

/** The part of the catalogue that packages need. */
export interface PackageCatalogue {
  find(id: string): Script | null;
  /** Whether a script with this id, usable or not, exists outside the packages. */
  isForeign(id: string): boolean;
  refresh(paths: Iterable<string>): Promise<void>;
}

export interface FetchOptions {
  /** An empty folder. */
  readonly into: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FetchProgress) => void;
  readonly log: Logger;
}

export type FetchPackage = (source: PackageSource, options: FetchOptions) => Promise<FetchedPackage>;

export type CheckFolder = (
  folder: string,
  options: { readonly findScript: (id: string) => Script | null },
) => Promise<{ readonly script: Script | null; readonly problems: readonly Problem[] }>;

export type ParseSource = (
  text: string,
  options: { readonly ref?: string; readonly path?: string },
) => PackageSource;

/** Builds the environment of a script. */
export type PrepareScript = (
  script: Script,
  waiter: {
    readonly runId: null;
    readonly signal: AbortSignal;
    onBuild(buildRunId: string): void;
  },
) => Promise<
  { readonly kind: 'none' | 'python' | 'node' } | { readonly kind: 'unavailable'; readonly message: Text }
>;

/** Dependencies of package operations. */
export interface PackageParts {
  readonly store: PackageStore;
  readonly catalogue: PackageCatalogue;
  readonly fetch: FetchPackage;
  readonly check: CheckFolder;
  readonly prepare: PrepareScript;
  /** Whether an active run uses this folder. */
  readonly isInUse: (scriptId: string, folder: string) => boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Logger;
}
