import type { ModelSource } from '../model.ts';
import type { RepoId } from '../repo-id.ts';
import type { HubResponse } from './http-client.ts';

/** What the content of a file is to be. `git-sha1` is the hash by which git knows it, over its size and its bytes. */
export interface ContentId {
  readonly kind: 'sha256' | 'git-sha1';
  readonly hex: string;
}

export interface HubFile {
  /** Relative, with slashes, and safe to be used below a folder of ours. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly content: ContentId;
  /** The entry of the file in a record of the whole repo, as huggingface_hub writes it. */
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
  /** A commit on Hugging Face; on ModelScope the revision that was asked for. */
  readonly snapshot: string;
  /** The name by which it was asked for; null when that was the commit itself. */
  readonly ref: string | null;
  readonly files: readonly HubFile[];
}

export interface Part {
  readonly offset: number;
  /** Of the file that the bytes before the offset came from, if it is known. */
  readonly etag: string | null;
}

/** A server that has models. Every value it hands on was checked. */
export interface Hub {
  readonly source: ModelSource;
  readonly host: string;
  list(repo: RepoId, revision: string | null, signal: AbortSignal): Promise<RepoListing>;
  /** Opens a file from an offset on. The answer is 200, 206 or, when there is nothing from there on, 416. */
  open(repo: RepoId, snapshot: string, file: HubFile, part: Part, signal: AbortSignal): Promise<HubResponse>;
}

/** How a hub is reached. */
export interface HubAccess {
  readonly endpoint: string;
  readonly token: string | null;
  /** Read for each download when there is no token; somebody may log in meanwhile. */
  readonly tokenFile: string | null;
  readonly isOffline: boolean;
}
