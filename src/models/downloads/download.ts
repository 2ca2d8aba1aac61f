import type { AppError } from '../../shared/errors.ts';
import type { Feed } from '../../shared/feed.ts';
import type { ModelSource } from '../model.ts';
import type { RepoId } from '../repo-id.ts';

export interface DownloadRequest {
  readonly repo: RepoId;
  readonly source: ModelSource;
  /** Globs; none at all stands for every file. */
  readonly files: readonly string[];
  /** A branch, a tag or a commit; null is what the source takes by default. */
  readonly revision: string | null;
}

/** What can be told of a download at one moment. One that waits for its turn is running, too, with nothing done yet. */
export interface DownloadView {
  readonly id: string;
  readonly repo: RepoId;
  readonly source: ModelSource;
  readonly revision: string | null;
  readonly files: readonly string[];
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** With what was there already. */
  readonly bytesDone: number;
  /** Null until the files are known. */
  readonly bytesTotal: number | null;
  readonly filesDone: number;
  readonly filesTotal: number | null;
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Where the files are; null until that is known. */
  readonly folder: string | null;
  /** Why it failed. */
  readonly error: AppError | null;
}

export interface Downloads {
  /** Begins a download, or joins one under way that brings all that is asked for. */
  start(request: DownloadRequest): { readonly download: DownloadView; readonly isJoined: boolean };
  find(id: string): DownloadView | null;
  /** Newest first; of those that ended the last hundred. */
  list(): readonly DownloadView[];
  /** False when there is no such download, or it has ended. */
  cancel(id: string): boolean;
  /** At most four times a second for each download, and each end. */
  readonly progress: Feed<DownloadView>;
  /** Cancels all and waits until they have let go of their files. */
  close(): Promise<void>;
}
