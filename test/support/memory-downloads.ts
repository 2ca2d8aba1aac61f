import { randomUUID } from 'node:crypto';

import type { DownloadRequest, Downloads, DownloadView } from '../../src/models/downloads/download.ts';
import { Feed } from '../../src/shared/feed.ts';

/** Downloads that fetch nothing. The test sets their progress. */
export class MemoryDownloads implements Downloads {
  readonly progress = new Feed<DownloadView>();
  /** All requests, in order. */
  readonly requests: DownloadRequest[] = [];
  readonly #views = new Map<string, DownloadView>();

  start(request: DownloadRequest): { download: DownloadView; isJoined: boolean } {
    this.requests.push(request);
    const { owner, name } = request.repo;
    const underWay = this.list().find(
      ({ state, repo }) => state === 'running' && repo.owner === owner && repo.name === name,
    );
    if (underWay !== undefined) return { download: underWay, isJoined: true };
    const download: DownloadView = {
      id: randomUUID(),
      ...request,
      state: 'running',
      bytesDone: 0,
      bytesTotal: null,
      filesDone: 0,
      filesTotal: null,
      bytesPerSecond: null,
      secondsLeft: null,
      startedAt: '2026-05-01T12:00:00.000Z',
      endedAt: null,
      folder: null,
      error: null,
    };
    this.#views.set(download.id, download);
    return { download, isJoined: false };
  }

  /** Updates the state of a download. */
  step(id: string, change: Partial<DownloadView>): void {
    const view = this.#views.get(id);
    if (view === undefined) throw new Error(`no download ${id}`);
    const changed = { ...view, ...change };
    this.#views.set(id, changed);
    this.progress.publish(changed);
  }

  find(id: string): DownloadView | null {
    return this.#views.get(id) ?? null;
  }

  list(): DownloadView[] {
    return [...this.#views.values()].reverse();
  }

  cancel(id: string): boolean {
    if (this.find(id)?.state !== 'running') return false;
    this.step(id, { state: 'cancelled', endedAt: '2026-05-01T12:00:05.000Z' });
    return true;
  }

  async close(): Promise<void> {
    for (const { id } of this.list()) this.cancel(id);
  }
}
