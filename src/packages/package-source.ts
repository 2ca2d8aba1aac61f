import type { SourceKind } from '../contract/values.ts';
import type { Text } from '../shared/text.ts';

/** Limits of a package. Counted while unpacking, because the figures in an archive are not trustworthy. */
export interface FetchLimits {
  /** Files and folders, including folders that occur only in paths. */
  readonly entries: number;
  readonly totalBytes: number;
  /** Maximum silence of a git server over HTTP. */
  readonly silenceS: number;
  /** Length of one name in UTF-8: the limit of most file systems. */
  readonly nameBytes: number;
  /** Length of a whole path, so that it fits below any home. */
  readonly pathBytes: number;
  readonly depth: number;
}

export const defaultFetchLimits: FetchLimits = {
  entries: 20_000,
  totalBytes: 1024 ** 3,
  silenceS: 300,
  nameBytes: 255,
  pathBytes: 1024,
  depth: 32,
};

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
  readonly commit: string | null;
  /** Notes about omitted or changed entries. */
  readonly notes: readonly Text[];
}
