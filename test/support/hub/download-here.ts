import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { DownloadRequest, DownloadView } from '../../../src/models/downloads/download.ts';
import { ModelDownloads } from '../../../src/models/downloads/model-downloads.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { createLogger } from '../../../src/shared/log.ts';

interface Where {
  readonly url: string;
  readonly folder: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly isOffline?: boolean;
  readonly silenceMs?: number;
}

/** The program that downloads in a separate process. */
export const downloadChild = fileURLToPath(new URL('./download-child.mjs', import.meta.url));

export const tiny = { owner: 'ada', name: 'tiny' };

/** Downloads in this process, into caches below a folder, with short pauses between attempts. */
export async function downloadsHere({
  url,
  folder,
  token,
  tokenFile,
  isOffline = false,
  silenceMs = 5000,
}: Where) {
  const access = { endpoint: url, token: token ?? null, tokenFile: tokenFile ?? null, isOffline };
  const downloads = new ModelDownloads({
    sources: {
      huggingface: { ...access, cache: join(folder, 'hf') },
      modelscope: { ...access, cache: join(folder, 'ms') },
    },
    clock: systemClock,
    log: await createLogger('silent'),
    version: '0.0.0',
    hashEntry: new URL('./hash-worker.mjs', import.meta.url),
    silenceMs,
    pace: 0.01,
  });
  onTestFinished(() => downloads.close());
  return downloads;
}

export function requestFor(more: Partial<DownloadRequest> = {}): DownloadRequest {
  return { repo: tiny, source: 'huggingface', files: [], revision: null, ...more };
}

/** Resolves when a download has ended. */
export function endOf(downloads: ModelDownloads, id: string): Promise<DownloadView> {
  return new Promise((resolve) => {
    const look = (view: DownloadView | null) => {
      if (view === null || view.id !== id || view.state === 'running') return;
      unsubscribe();
      resolve(view);
    };
    const unsubscribe = downloads.progress.subscribe(look);
    look(downloads.find(id));
  });
}

/** Starts a download and waits for its end. */
export function pull(downloads: ModelDownloads, more: Partial<DownloadRequest> = {}): Promise<DownloadView> {
  return endOf(downloads, downloads.start(requestFor(more)).download.id);
}
