import { expect, it, vi } from 'vitest';

import { eventsInMemory } from '../../test/support/events-in-memory.ts';
import { MemoryKeyStore } from '../../test/support/memory-key-store.ts';
import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { createLogger } from '../shared/log.ts';
import { EntryRecorder, type NewEntry } from './entry-recorder.ts';

const log = await createLogger('silent');

function recorder() {
  const store = new MemoryRunStore();
  const { runEvents, eventLog } = eventsInMemory(store, log);
  const queue = vi.spyOn(runEvents, 'queue');
  const entries = new EntryRecorder({
    store,
    events: runEvents,
    keys: new MemoryKeyStore(),
    clock: { now: () => new Date() },
    limits: { keepKeysMs: 1000 } as ConstructorParameters<typeof EntryRecorder>[0]['limits'],
  });
  const asked = (): NewEntry => {
    const record = queuedRun({ sync: false });
    return { record, tokenHash: record.runId, key: undefined };
  };
  const told = () => eventLog.read(0).events.map(({ runId }) => runId);
  return { store, entries, asked, told, queue };
}

it('runs that come together are on the disk together, in their order', async () => {
  const { entries, asked, told, queue } = recorder();
  const all = [asked(), asked(), asked()];
  await Promise.all(all.map((entry) => entries.recordDurably(entry)));
  expect(told()).toEqual(all.map(({ record }) => record.runId));
  expect(queue.mock.calls.map(([group, options]) => [group.length, options])).toEqual([
    [3, { durable: true }],
  ]);
  await entries.recordDurably(asked());
  expect(queue).toHaveBeenCalledTimes(2);
});

it('one that cannot be written does not take the others with it', async () => {
  const { store, entries, asked, told } = recorder();
  const [first, bad, last] = [asked(), asked(), asked()];
  const { insert } = store;
  store.insert = (record, ...rest) => {
    if (record.runId === bad.record.runId) throw new Error('no room');
    return insert.call(store, record, ...rest);
  };
  const settled = await Promise.allSettled([first, bad, last].map((entry) => entries.recordDurably(entry)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(told()).toEqual([first.record.runId, last.record.runId]);
  expect(store.has(bad.record.runId)).toBe(false);
});
