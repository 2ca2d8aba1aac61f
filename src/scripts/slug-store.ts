/** A slug and the script that it finds. */
export interface SlugEntry {
  readonly slug: string;
  /** In lower case. */
  readonly scriptId: string;
  /** False: an earlier slug of the script. It finds the script until another script takes it. */
  readonly isCurrent: boolean;
  /** False: the script belongs to an installed package. */
  readonly isOwn: boolean;
  /** The `slug` of the manifest for which this slug was assigned; null if it was made from the name. */
  readonly declared: string | null;
}

/** The storage of slugs. The interface is declared here and implemented in `storage/`. */
export interface SlugStore {
  all(): SlugEntry[];
  /** Adds these entries, all or none. Replaces entries with the same slug. */
  put(entries: readonly SlugEntry[]): void;
}
