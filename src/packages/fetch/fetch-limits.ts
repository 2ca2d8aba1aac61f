/** How much a package may bring. Counted while it is unpacked: what an archive says of itself proves nothing. */
export interface FetchLimits {
  /** Files and folders, also those that are only named as part of a path. */
  readonly entries: number;
  readonly totalBytes: number;
  /** How long a server of git may send nothing at all, where it speaks HTTP. */
  readonly silenceS: number;
  /** Of one name, in UTF-8: more than that, most file systems do not take. */
  readonly nameBytes: number;
  /** Of a whole path, so that it fits below any home. */
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
