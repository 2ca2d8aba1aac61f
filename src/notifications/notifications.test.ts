import { expect, it, vi } from 'vitest';

import { createLogger } from '../shared/log.ts';
import type { KeptNotification, NotificationStore } from './notification-store.ts';
import { type Notification, Notifications, type SentNotification } from './notifications.ts';

const run = { runId: 'run', scriptId: 'script', scriptName: 'Tidy' };
const sent: SentNotification = {
  type: 'success',
  message: 'done',
  durationMs: 0,
  showClose: true,
  run,
};

async function setUp(store: Partial<NotificationStore> = {}) {
  const log = await createLogger('silent');
  const kept: KeptNotification[] = [];
  const shown: Notification[] = [];
  const warn = vi.spyOn(log, 'warn');
  const notifications = new Notifications({
    store: {
      add: (notification) => kept.push(notification),
      page: () => ({ notifications: kept, next: null }),
      ...store,
    },
    clock: { now: () => new Date(0) },
    log,
    addressOf: (page) => `http://127.0.0.1:1${page}`,
    isOutgoing: () => false,
  });
  notifications.feed.subscribe((notification) => shown.push(notification));
  return { notifications, kept, shown, warn };
}

it('a notification includes its sender, time and the address for a click', async () => {
  const { notifications, kept, shown } = await setUp();
  notifications.show(sent);
  notifications.show({ ...sent, run: null });
  const { run: _run, ...rest } = sent;
  const at = '1970-01-01T00:00:00.000Z';
  expect(shown).toEqual([
    { ...rest, ...run, end: null, at, id: expect.any(String), address: 'http://127.0.0.1:1/runs/run' },
    {
      ...rest,
      runId: null,
      scriptId: null,
      scriptName: null,
      end: null,
      at,
      id: expect.any(String),
      address: null,
    },
  ]);
  expect(shown[0]?.id).not.toBe(shown[1]?.id);
  // The address is not stored, because the port may change.
  expect(kept).toEqual(shown.map(({ address: _address, ...each }) => each));
});

it('a long message is truncated in the store and on the desktop', async () => {
  const { notifications, kept, shown } = await setUp();
  notifications.show({ ...sent, message: '好'.repeat(5000) });
  for (const each of [kept[0], shown[0]]) expect(each?.message).toBe(`${'好'.repeat(999)}…`);
});

it('a notification that cannot be stored is still shown, and the failure is logged once until it works again', async () => {
  let isFull = true;
  const { notifications, shown, warn } = await setUp({
    add: () => {
      if (isFull) throw new Error('database or disk is full');
    },
  });
  for (let count = 0; count < 3; count++) notifications.show(sent);
  expect(shown).toHaveLength(3);
  expect(warn).toHaveBeenCalledTimes(1);
  isFull = false;
  notifications.show(sent);
  isFull = true;
  notifications.show(sent);
  expect(shown).toHaveLength(5);
  expect(warn).toHaveBeenCalledTimes(2);
});
