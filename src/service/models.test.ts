import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { MemoryDownloads } from '../../test/support/memory-downloads.ts';
import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { EventLog } from '../runs/ledger.ts';
import { AppError } from '../shared/errors.ts';
import { createLogger } from '../shared/log.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { SqliteEventStore } from '../storage/sqlite-event-store.ts';
import { publishDownloads } from './models.ts';

const log = await createLogger('silent');
const request = {
  repo: { owner: 'acme', name: 'tiny' },
  source: 'huggingface',
  files: [],
  revision: null,
} as const;

let database: Database;

beforeEach(() => {
  vi.useFakeTimers();
  database = openDatabase(':memory:');
});

afterEach(() => {
  vi.useRealTimers();
  database.close();
});

function open() {
  const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: new MemoryRunStore(), log });
  const downloads = new MemoryDownloads();
  const close = publishDownloads(downloads, eventLog);
  const received: Record<string, unknown>[] = [];
  eventLog.published.subscribe(({ data }) => received.push(JSON.parse(data)));
  return {
    downloads,
    received,
    close,
    last: () => JSON.parse(eventLog.read(0).events.at(-1)?.data ?? 'null'),
    kept: () => eventLog.read(0).events.map(({ type, data }) => [type, JSON.parse(data).bytes_done]),
  };
}

function breakWrites(): void {
  database.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END");
}

describe('the progress of a download', () => {
  it('is published at every step, and only the newest step is kept', () => {
    const { downloads, received, kept } = open();
    const { id } = downloads.start(request).download;
    const other = downloads.start({ ...request, repo: { owner: 'acme', name: 'other' } }).download.id;
    for (let bytesDone = 1; bytesDone <= 50; bytesDone++) downloads.step(id, { bytesDone, bytesTotal: 50 });
    downloads.step(other, { bytesDone: 7 });
    downloads.step(id, { state: 'done', endedAt: '2026-05-01T12:00:09.000Z', folder: '/models/tiny' });
    expect(received).toHaveLength(52);
    expect(kept()).toEqual([
      ['model.progress', 7],
      ['model.progress', 50],
    ]);
    expect(received.at(-1)).toEqual({
      download_id: id,
      repo_id: 'acme/tiny',
      source: 'huggingface',
      revision: null,
      files: [],
      state: 'done',
      bytes_done: 50,
      bytes_total: 50,
      files_done: 0,
      files_total: null,
      bytes_per_s: null,
      seconds_left: null,
      started_at: '2026-05-01T12:00:00.000Z',
      ended_at: '2026-05-01T12:00:09.000Z',
      folder: '/models/tiny',
      error: null,
      at: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('has its end published later when the first attempt fails', () => {
    const { downloads, received, kept } = open();
    const { id } = downloads.start(request).download;
    downloads.step(id, { bytesDone: 1 });
    breakWrites();
    downloads.step(id, { bytesDone: 2 });
    const error = new AppError('resources-exhausted', { en: 'The disk is full', zh: '磁盘已满' });
    downloads.step(id, { state: 'failed', error });
    vi.advanceTimersByTime(5000);
    expect(received).toHaveLength(1);
    database.exec('DROP TRIGGER full');
    vi.advanceTimersByTime(5000);
    expect(received).toHaveLength(2);
    expect(received[1]).toMatchObject({
      state: 'failed',
      error: { code: 'resources-exhausted', message: 'The disk is full', hint: '' },
    });
    expect(kept()).toEqual([['model.progress', 2]]);
  });

  it('is no longer published after the service stops', () => {
    const { downloads, received, close } = open();
    const { id } = downloads.start(request).download;
    breakWrites();
    downloads.cancel(id);
    database.exec('DROP TRIGGER full');
    close();
    vi.advanceTimersByTime(5000);
    downloads.step(downloads.start(request).download.id, { bytesDone: 1 });
    expect(received).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is ended by the next service after the previous one was killed', () => {
    const { downloads } = open();
    const { id } = downloads.start(request).download;
    downloads.step(id, { bytesDone: 7, bytesPerSecond: 3, secondsLeft: 4 });
    const done = downloads.start({ ...request, repo: { owner: 'acme', name: 'other' } }).download.id;
    downloads.step(done, { state: 'done', bytesDone: 9 });
    const next = open();
    expect(next.kept()).toEqual([
      ['model.progress', 9],
      ['model.progress', 7],
    ]);
    expect(next.last()).toMatchObject({
      download_id: id,
      state: 'cancelled',
      ended_at: expect.stringMatching(/^\d{4}-/),
      bytes_per_s: null,
      seconds_left: null,
    });
    const third = open();
    expect(third.last()).toEqual(next.last());
  });
});
