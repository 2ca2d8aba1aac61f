import type { SourceKind } from '../contract/values.ts';
import type { Text } from '../shared/text.ts';

/** The source of a package. */
export interface PackageSource {
  readonly kind: SourceKind;
  /** An absolute path, or the address of a git repository. */
  readonly location: string;
  /** A branch, tag or commit of a git repository; null for the default branch. */
  readonly ref: string | null;
  /** The folder of the script inside the source, with forward slashes; null if the source has one script. */
  readonly path: string | null;
}

/** Progress of a fetch, published on every change. */
export interface FetchProgress {
  readonly entriesDone: number;
  readonly bytesDone: number;
}

/** A source whose content is in a private folder. */
export interface FetchedPackage {
  /** The folder with the manifest, below the target folder. */
  readonly folder: string;
  /** The fetched commit of a git repository. */
  readonly commit: string | null;
  /** Notes about omitted or changed entries. */
  readonly notes: readonly Text[];
}
