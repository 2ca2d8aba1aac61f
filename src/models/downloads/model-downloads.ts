import { randomUUID } from 'node:crypto';

import type { ModelSource } from '../../contract/values.ts';
import type { Clock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { Feed } from '../../shared/feed.ts';
import type { Logger } from '../../shared/log.ts';
import { Slots } from '../../shared/slots.ts';
import { untilAborted } from '../../shared/until-aborted.ts';
import type { Hub } from '../hubs/ask-hub.ts';
import { HubClient } from '../hubs/http-client.ts';
import type { HubAccess } from '../hubs/hub.ts';
import { HuggingFaceHub } from '../hubs/huggingface.ts';
import { ModelScopeHub } from '../hubs/modelscope.ts';
import { formatRepoId, type RepoId } from '../repo-id.ts';
import { type DownloadRequest, type Downloads, type DownloadView, ProgressMeter } from './download.ts';
import { runDownload } from './run-download.ts';

const reposAtOnce = 2;
/** Maximum number of downloads, including waiting ones. More than users need, and few enough to keep in memory. */
const mostRunning = 100;
const keptEnded = 100;
const betweenReportsMs = 250;

export interface SourceOptions extends HubAccess {
  /** The cache folder of the source's own library. */
  readonly cache: string;
}

export interface DownloadsOptions {
  readonly sources: Readonly<Record<ModelSource, SourceOptions>>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
  /** Entry file of the hashing thread. */
  readonly hashEntry: URL;
  /** A request fails if the server sends nothing for this long. */
  readonly silenceMs?: number;
  /** Factor for the pauses between attempts. */
  readonly pace?: number;
}

interface Download {
  readonly id: string;
  readonly request: DownloadRequest;
  readonly meter: ProgressMeter;
  readonly abort: AbortController;
  readonly startedAt: string;
  state: DownloadView['state'];
  endedAt: string | null;
  error: AppError | null;
  /** Resolves when the download has released its files and its slot. */
  ended: Promise<void>;
}

/**
 * The downloads of this service. They exist only in memory: a restart ends a download. A new request for the same files resumes it
 * from the data on the disk.
 */
export class ModelDownloads implements Downloads {
  readonly progress = new Feed<DownloadView>();
  readonly #options: DownloadsOptions;
  readonly #client: HubClient;
  readonly #hubs: Readonly<Record<ModelSource, Hub>>;
  readonly #slots = new Slots(reposAtOnce);
  /** Oldest first. */
  readonly #downloads = new Map<string, Download>();
  #isClosed = false;

  constructor(options: DownloadsOptions) {
    this.#options = options;
    const { sources, version, silenceMs = 60_000, pace = 1 } = options;
    const client = new HubClient({ silenceMs, version });
    this.#client = client;
    this.#hubs = {
      huggingface: new HuggingFaceHub({ access: sources.huggingface, client, pace }),
      modelscope: new ModelScopeHub({ access: sources.modelscope, client, pace }),
    };
  }

  start(request: DownloadRequest): { download: DownloadView; isJoined: boolean } {
    if (this.#isClosed) throw stopping();
    const others = this.#running().filter(
      ({ request: other }) => other.source === request.source && isSameName(other.repo, request.repo),
    );
    const same = others.find(({ request: other, abort }) => !abort.signal.aborted && covers(other, request));
    if (same !== undefined) return { download: viewOf(same), isJoined: true };
    if (this.#running().length >= mostRunning) throw tooMany();
    const download: Download = {
      id: randomUUID(),
      request,
      meter: new ProgressMeter(),
      abort: new AbortController(),
      startedAt: this.#options.clock.now().toISOString(),
      state: 'running',
      endedAt: null,
      error: null,
      ended: Promise.resolve(),
    };
    this.#downloads.set(download.id, download);
    download.ended = this.#run(download, others);
    return { download: viewOf(download), isJoined: false };
  }

  find(id: string): DownloadView | null {
    const download = this.#downloads.get(id);
    return download === undefined ? null : viewOf(download);
  }

  list(): readonly DownloadView[] {
    return [...this.#downloads.values()].reverse().map(viewOf);
  }

  isDownloading(repo: RepoId): boolean {
    return this.#running().some(({ request }) => isSameName(request.repo, repo));
  }

  cancel(id: string): boolean {
    const download = this.#downloads.get(id);
    if (download?.state !== 'running' || download.abort.signal.aborted) return false;
    download.abort.abort();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running();
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ ended }) => ended));
    this.#client.close();
  }

  #running(): Download[] {
    return [...this.#downloads.values()].filter(({ state }) => state === 'running');
  }

  /** Waits for its turn, then downloads. Never rejects. */
  async #run(download: Download, others: readonly Download[]): Promise<void> {
    const { request, meter, abort, id } = download;
    const { log, sources, hashEntry, pace = 1 } = this.#options;
    const { signal } = abort;
    const what = { download_id: id, repo: formatRepoId(request.repo), source: request.source };
    let reported = '';
    const report = () => {
      const view = viewOf(download);
      const seen = JSON.stringify([view.bytesDone, view.filesDone, view.bytesTotal, view.bytesPerSecond]);
      if (seen !== reported) this.progress.publish(view);
      reported = seen;
    };
    const reporting = setInterval(report, betweenReportsMs);
    let releaseSlot = () => {};
    try {
      // Downloads of one repo run one after the other. The later one reuses the files of the earlier one.
      await Promise.all(others.map(({ ended }) => untilAborted(ended, signal)));
      releaseSlot = await this.#slots.take(signal);
      log.info(what, 'download started');
      const { cache } = sources[request.source];
      const hub = this.#hubs[request.source];
      await runDownload({ request, hub, cache, meter, signal, pace, hashEntry });
      download.state = 'done';
    } catch (error) {
      download.state = signal.aborted ? 'cancelled' : 'failed';
      if (download.state === 'failed') download.error = this.#explain(error, what);
    } finally {
      releaseSlot();
      clearInterval(reporting);
    }
    download.endedAt = this.#options.clock.now().toISOString();
    log.info(
      { ...what, state: download.state, bytes: meter.bytesDone, code: download.error?.code },
      'download ended',
    );
    this.#dropOldest();
    this.progress.publish(viewOf(download));
  }

  #explain(error: unknown, what: Record<string, string>): AppError {
    if (error instanceof AppError) return error;
    this.#options.log.error({ ...what, err: error }, 'download failed: internal error');
    return new AppError('internal', {
      en: 'Internal error in Hob. See its log for details.',
      zh: 'Hob 内部错误，详见日志。',
      cause: error,
    });
  }

  #dropOldest(): void {
    const ended = [...this.#downloads.values()].filter(({ state }) => state !== 'running');
    for (const { id } of ended.slice(0, -keptEnded)) this.#downloads.delete(id);
  }
}

function isSameName(one: RepoId, other: RepoId): boolean {
  return one.owner === other.owner && one.name === other.name;
}

/** Whether a download includes all files of another. Compares globs as text, because patterns cannot be compared in general. */
function covers(one: DownloadRequest, other: DownloadRequest): boolean {
  if (one.revision !== other.revision) return false;
  if (one.files.length === 0) return true;
  return other.files.length > 0 && other.files.every((glob) => one.files.includes(glob));
}

function viewOf({ id, request, meter, state, startedAt, endedAt, error }: Download): DownloadView {
  const { bytesDone, bytesTotal, filesDone, filesTotal, folder } = meter;
  return {
    ...request,
    id,
    state,
    bytesDone,
    bytesTotal,
    filesDone,
    filesTotal,
    bytesPerSecond: endedAt === null ? meter.bytesPerSecond : null,
    secondsLeft: state === 'running' ? meter.secondsLeft : state === 'done' ? 0 : null,
    startedAt,
    endedAt,
    folder,
    error,
  };
}

function stopping(): AppError {
  return new AppError('service-stopping', {
    en: 'The service is stopping and accepts no new downloads.',
    zh: '服务正在停止，不再开始下载。',
  });
}

function tooMany(): AppError {
  return new AppError('downloads-full', {
    en: `Too many downloads: ${mostRunning} are in progress or waiting. Try again later.`,
    zh: `已有 ${mostRunning} 个下载正在进行或等待，暂不接受新的下载。`,
    retryAfterS: 60,
  });
}
