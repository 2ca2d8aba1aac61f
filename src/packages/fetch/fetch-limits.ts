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
