import type { Text } from '../shared/text.ts';

export const sourceKinds = ['folder', 'archive', 'git'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** Where a package comes from. */
export interface PackageSource {
  readonly kind: SourceKind;
  /** An absolute path, or the address of a git repository. */
  readonly location: string;
  /** A branch, tag or commit of a git repository; null for its own default. */
  readonly ref: string | null;
  /** The folder of the script inside the source, with forward slashes; null when it has only one. */
  readonly path: string | null;
}

/** How far fetching is, told as often as it changes. */
export interface FetchProgress {
  readonly entriesDone: number;
  readonly bytesDone: number;
}

/** A source whose content lies in a folder of ours, to do with as we like. */
export interface FetchedPackage {
  /** The folder with the manifest, somewhere below the folder it was fetched into. */
  readonly folder: string;
  /** Of a git repository: the commit that was taken. */
  readonly commit: string | null;
  /** What was left out or changed on the way, and that its user should know of. */
  readonly notes: readonly Text[];
}
