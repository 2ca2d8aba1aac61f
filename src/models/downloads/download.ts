import type { ModelSource } from '../../contract/values.ts';
import type { AppError } from '../../shared/errors.ts';
import type { Feed } from '../../shared/feed.ts';
import type { RepoId } from '../repo-id.ts';

/** Time window of the rate: long enough for a stable value, short enough to show a stall. */
const windowMs = 5000;
const sampleMs = 250;

/** Counts the progress of a download and its recent rate. */
export class ProgressMeter {
  bytesDone = 0;
  bytesTotal: number | null = null;
  filesDone = 0;
  filesTotal: number | null = null;
  folder: string | null = null;
  #fetched = 0;
  #samples: { readonly atMs: number; readonly fetched: number }[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#samples.push({ atMs: nowMs(), fetched: 0 });
  }

  expect(files: readonly { readonly sizeBytes: number }[]): void {
    this.filesTotal = files.length;
    this.bytesTotal = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Adds bytes that are on the disk. `isFetched`: they were just received from the network. */
  add(bytes: number, { isFileDone = false, isFetched = false } = {}): void {
    this.bytesDone += bytes;
    if (isFileDone) this.filesDone++;
    if (isFetched) this.#fetched += bytes;
    const nowMs = this.#nowMs();
    const last = this.#samples.at(-1);
    if (last !== undefined && nowMs - last.atMs < sampleMs) return;
    this.#samples.push({ atMs: nowMs, fetched: this.#fetched });
    this.#dropOld(nowMs);
  }

  get bytesPerSecond(): number | null {
    const nowMs = this.#nowMs();
    this.#dropOld(nowMs);
    const [oldest] = this.#samples;
    if (oldest === undefined || nowMs - oldest.atMs < sampleMs) return null;
    return Math.round(((this.#fetched - oldest.fetched) / (nowMs - oldest.atMs)) * 1000);
  }

  get secondsLeft(): number | null {
    const rate = this.bytesPerSecond;
    if (this.bytesTotal === null || rate === null || rate <= 0) return null;
    return Math.ceil((this.bytesTotal - this.bytesDone) / rate);
  }

  /** Drops samples older than the window, except the newest of them: without it, a stalled download would have no rate. */
  #dropOld(nowMs: number): void {
    while ((this.#samples[1]?.atMs ?? nowMs) < nowMs - windowMs) this.#samples.shift();
  }
}

export interface DownloadRequest {
  readonly repo: RepoId;
  readonly source: ModelSource;
  /** Globs; empty: all files. */
  readonly files: readonly string[];
  /** A branch, tag or commit; null: the default of the source. */
  readonly revision: string | null;
}

/** A snapshot of a download. A download that waits for its turn is also `running`, with 0 bytes done. */
export interface DownloadView extends DownloadRequest {
  readonly id: string;
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
