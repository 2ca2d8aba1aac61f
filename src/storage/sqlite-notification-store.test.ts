import { randomUUID } from 'node:crypto';

import { expect, it, onTestFinished } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import type { KeptNotification } from '../notifications/notification-store.ts';
import { openDatabase } from './database.ts';
import { SqliteNotificationStore } from './sqlite-notification-store.ts';
import { SqliteRunRemoval } from './sqlite-retention-store.ts';
import { SqliteRunStore } from './sqlite-run-store.ts';

function setUp() {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = new SqliteNotificationStore(database);
  return {
    database,
    store,
    all: () => store.page({ after: null, limit: 1000 }).notifications,
    add(rest: Partial<KeptNotification> = {}, { keep = 200, isUnsent = false } = {}): KeptNotification {
      const notification: KeptNotification = {
        id: randomUUID(),
        type: 'info',
        message: null,
        durationMs: 5000,
        showClose: false,
        runId: null,
        scriptId: null,
        scriptName: null,
        end: null,
        at: new Date(0).toISOString(),
        ...rest,
      };
      store.add(notification, { keep, isUnsent });
      return notification;
    },
  };
}

it('returns every character of a notification unchanged', () => {
  const { add, all } = setUp();
  const odd = add({
    type: 'error',
    message: 'a\0b\u0007\r\n"\'`$() \ud800 中文 😀',
    durationMs: 1e300,
    showClose: true,
    runId: randomUUID(),
    scriptId: randomUUID(),
    scriptName: '整理 "x"',
    end: { state: 'failed', endCause: 'exit', exitCode: 7 },
  });
  const plain = add({ durationMs: 0, message: '' });
  expect(all()).toEqual([plain, odd]);
});

it('keeps the newest notifications and removes the others', () => {
  const { add, all } = setUp();
  const added = Array.from({ length: 12 }, () => add({}, { keep: 5 }));
  expect(all()).toEqual(added.slice(-5).reverse());
});

it('returns pages that do not shift when notifications are added', () => {
  const { store, add } = setUp();
  const added = Array.from({ length: 5 }, () => add());
  const first = store.page({ after: null, limit: 2 });
  expect(first.notifications).toEqual([added[4], added[3]]);
  add();
  const second = store.page({ after: first.next, limit: 2 });
  expect(second.notifications).toEqual([added[2], added[1]]);
  expect(store.page({ after: second.next, limit: 1 })).toEqual({ notifications: [added[0]], next: null });
  expect(store.page({ after: 0, limit: 1 })).toEqual({ notifications: [], next: null });
});

it('removes the notifications of a run with the run, unless the run has not ended', () => {
  const { database, add, all } = setUp();
  const runs = new SqliteRunStore(database);
  const [gone, lasting] = [randomUUID(), randomUUID()];
  for (const runId of [gone, lasting])
    runs.insert(queuedRun({ runId }), `token of ${runId}`, { durable: false });
  runs.finish(gone, runEnding({}));
  const [outside] = [add(), add({ runId: gone })];
  const stays = add({ runId: lasting });
  expect(new SqliteRunRemoval(database).forgetRuns([gone, lasting])).toEqual([gone]);
  expect(all()).toEqual([stays, outside]);
});

it('lists the notifications that must still be sent in order', () => {
  const { add, store } = setUp();
  const isUnsent = true;
  const end = { state: 'unknown', endCause: null, exitCode: null } as const;
  const [first, , third] = [add({}, { isUnsent }), add(), add({ end }, { isUnsent })];
  expect(store.unsent()).toEqual([first, third]);
  store.removeUnsent(first?.id ?? '');
  store.removeUnsent('unknown');
  expect(store.unsent()).toEqual([third]);
});
