import { afterEach, beforeEach, expect, it } from 'vitest';

import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import type { OperationView } from '../packages/operations/operation.ts';
import { EventLog } from '../runs/ledger.ts';
import { AppError } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import { createLogger } from '../shared/log.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { SqliteEventStore } from '../storage/sqlite-event-store.ts';
import { publishPackages } from './packages.ts';

const log = await createLogger('silent');

let database: Database;

beforeEach(() => {
  database = openDatabase(':memory:');
});

afterEach(() => {
  database.close();
});

function open() {
  const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: new MemoryRunStore(), log });
  const progress = new Feed<OperationView>();
  const close = publishPackages({ progress }, eventLog);
  const published = () => eventLog.read(0).events.map(({ type, data }) => ({ type, ...JSON.parse(data) }));
  return { progress, close, published };
}

const view: OperationView = {
  id: 'operation-1',
  kind: 'update',
  state: 'running',
  stage: 'fetching',
  script: { id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', name: 'Sample', version: null },
  source: { kind: 'git', location: 'https://example.com/a.git', ref: 'main', path: null },
  entriesDone: 3,
  bytesDone: 30,
  runId: null,
  warnings: [],
  problems: [],
  startedAt: '2026-05-01T12:00:00.000Z',
  endedAt: null,
  error: null,
};

it('publishes every step of a package operation and keeps only the newest', () => {
  const { progress, published } = open();
  progress.publish(view);
  progress.publish({ ...view, stage: 'checking' });
  const text = { en: 'wrong', zh: '错误' };
  progress.publish({
    ...view,
    state: 'failed',
    stage: null,
    warnings: [text],
    problems: [{ severity: 'error', file: 'script.toml', line: 4, message: text, advice: text }],
    endedAt: '2026-05-01T12:00:05.000Z',
    error: new AppError('package-broken', text, { hint: text }),
  });
  expect(published()).toEqual([
    {
      type: 'package.progress',
      operation_id: 'operation-1',
      kind: 'update',
      state: 'failed',
      stage: null,
      script_id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
      script_name: 'Sample',
      version: null,
      source: { kind: 'git', location: 'https://example.com/a.git', ref: 'main', path: null },
      entries_done: 3,
      bytes_done: 30,
      run_id: null,
      warnings: ['wrong'],
      problems: [{ severity: 'error', file: 'script.toml', line: 4, message: 'wrong', advice: 'wrong' }],
      started_at: '2026-05-01T12:00:00.000Z',
      ended_at: '2026-05-01T12:00:05.000Z',
      error: { code: 'package-broken', message: 'wrong', hint: 'wrong' },
      at: expect.stringMatching(/^\d{4}-/),
    },
  ]);
});

it('the next service ends an operation that was in progress when the previous one was killed', () => {
  open().progress.publish(view);
  const next = open();
  expect(next.published()).toEqual([
    expect.objectContaining({
      operation_id: 'operation-1',
      state: 'cancelled',
      stage: null,
      ended_at: expect.any(String),
    }),
  ]);
  next.close();
  next.progress.publish({ ...view, id: 'operation-2' });
  expect(next.published()).toHaveLength(1);
});
