import type { ModelSource } from '../../contract/values.ts';
import type { AppError } from '../../shared/errors.ts';
import type { Feed } from '../../shared/feed.ts';
import type { RepoId } from '../repo-id.ts';

export interface DownloadRequest {
  readonly repo: RepoId;
  readonly source: ModelSource;
  /** Globs; empty: all files. */
  readonly files: readonly string[];
  /** A branch, tag or commit; null: the default of the source. */
  readonly revision: string | null;
}

/** A snapshot of a download. A download that waits for its turn is also `running`, with 0 bytes done. */
export interface DownloadView {
  readonly id: string;
  readonly repo: RepoId;
  readonly source: ModelSource;
  readonly revision: string | null;
  readonly files: readonly string[];
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Includes bytes that were already on the disk. */
  readonly bytesDone: number;
  /** Null until the files are known. */
  readonly bytesTotal: number | null;
  readonly filesDone: number;
  readonly filesTotal: number | null;
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** The folder of the files; null until it is known. */
  readonly folder: string | null;
  readonly error: AppError | null;
}

export interface Downloads {
  /** Starts a download, or joins a running one that covers the request. */
  start(request: DownloadRequest): { readonly download: DownloadView; readonly isJoined: boolean };
  find(id: string): DownloadView | null;
  /** Newest first. Includes the last hundred ended downloads. */
  list(): readonly DownloadView[];
  /** False if there is no such download, or it has ended or is already being cancelled. */
  cancel(id: string): boolean;
  /** Publishes each download at most four times a second, and always its end. */
  readonly progress: Feed<DownloadView>;
  /** Cancels all downloads and waits until they have closed their files. */
  close(): Promise<void>;
}
