import { expect, it, vi } from 'vitest';

import { eventsInMemory } from '../../test/support/events-in-memory.ts';
import { MemoryKeyStore } from '../../test/support/memory-key-store.ts';
import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import { createLogger } from '../shared/log.ts';
import { EntryRecorder, type NewEntry } from './entry-recorder.ts';

const ready = Promise.resolve();
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
  await Promise.all(all.map((entry) => entries.recordDurably(entry, ready)));
  expect(told()).toEqual(all.map(({ record }) => record.runId));
  expect(queue.mock.calls.map(([group, options]) => [group.length, options])).toEqual([
    [3, { durable: true }],
  ]);
  await entries.recordDurably(asked(), ready);
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
  const settled = await Promise.allSettled(
    [first, bad, last].map((entry) => entries.recordDurably(entry, ready)),
  );
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(told()).toEqual([first.record.runId, last.record.runId]);
  expect(store.has(bad.record.runId)).toBe(false);
});

/** One that is not ready until it is told so. */
function later() {
  let [settle, fail] = [() => {}, (_error: unknown) => {}];
  const ready = new Promise<void>((resolve, reject) => ([settle, fail] = [resolve, reject]));
  return { ready, settle, fail };
}

it('one that is ready waits for those that were asked for before it, and not for those after', async ({
  onTestFinished,
}) => {
  // However long it takes.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { entries, asked, told, queue } = recorder();
  const [slow, quick] = [asked(), asked()];
  const [first, never] = [later(), later()];
  const slowly = entries.recordDurably(slow, first.ready);
  const quickly = entries.recordDurably(quick, ready);
  await ready;
  void entries.recordDurably(asked(), never.ready);
  first.settle();
  await Promise.all([slowly, quickly]);
  expect(queue.mock.calls.map(([group]) => group.length)).toEqual([2]);
  expect(told()).toEqual([slow, quick].map(({ record }) => record.runId));
});

it('one that takes long to be ready does not keep the others waiting', async () => {
  const { entries, asked, told } = recorder();
  const [slow, quick] = [asked(), asked()];
  const last = later();
  const slowly = entries.recordDurably(slow, last.ready);
  await entries.recordDurably(quick, ready);
  expect(told()).toEqual([quick.record.runId]);
  last.settle();
  await slowly;
  expect(told()).toEqual([quick, slow].map(({ record }) => record.runId));
});

it('one that cannot be made ready is not written, and is not waited for', async () => {
  const { entries, asked, told } = recorder();
  const [bad, good] = [asked(), asked()];
  const unwritten = later();
  const refused = entries.recordDurably(bad, unwritten.ready);
  const written = entries.recordDurably(good, ready);
  unwritten.fail(new Error('no room'));
  await expect(refused).rejects.toThrow('no room');
  await written;
  expect(told()).toEqual([good.record.runId]);
});
