/** The expected hash of a file. `git-sha1` is git's blob hash, over the size and the bytes. */
export interface ContentId {
  readonly kind: 'sha256' | 'git-sha1';
  readonly hex: string;
}

export interface HubFile {
  /** Relative, with forward slashes, and safe to use below a local folder. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly content: ContentId;
  /** The file's entry in the list of the repo, in the format of huggingface_hub. */
  readonly record: FileRecord;
}

export interface FileRecord {
  readonly size: number;
  readonly blob_id: string;
  readonly lfs_sha256?: string;
  readonly lfs_size?: number;
  readonly xet_hash?: string;
}

export interface RepoListing {
  /** A commit on Hugging Face; the requested revision on ModelScope. */
  readonly snapshot: string;
  /** The requested branch or tag; null if the commit itself was requested. */
  readonly ref: string | null;
  readonly files: readonly HubFile[];
}

export interface Part {
  readonly offset: number;
  /** ETag of the file that the bytes before the offset came from, if known. */
  readonly etag: string | null;
}

export interface HubAccess {
  readonly endpoint: string;
  readonly token: string | null;
  /** Read for each request if `token` is null, because the user may log in meanwhile. */
  readonly tokenFile: string | null;
  readonly isOffline: boolean;
}
