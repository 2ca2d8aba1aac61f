import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { eventsInMemory } from '../../test/support/events-in-memory.ts';
import { MemoryKeyStore } from '../../test/support/memory-key-store.ts';
import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import { executorThat } from '../../test/support/run-service.ts';
import { endWithoutProcess } from '../execution/messages.ts';
import { createLogger } from '../shared/log.ts';
import { EndRecorder } from './end-recorder.ts';
import { LiveRuns } from './live-runs.ts';

const log = await createLogger('silent');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function recorder() {
  const store = new MemoryRunStore();
  const { runEvents, eventLog } = eventsInMemory(store, log);
  const acknowledged: string[] = [];
  const executor = {
    ...executorThat((runId) => endWithoutProcess(runId, 'exit')),
    acknowledge: (runId: string) => void acknowledged.push(runId),
  };
  const live = new LiveRuns();
  const ends = new EndRecorder({ store, events: runEvents, executor, keys: new MemoryKeyStore() }, live);
  const known = () => {
    const record = queuedRun({ sync: true });
    const insert = () => store.insert(record, record.runId);
    runEvents.queue([{ runId: record.runId, insert }], { durable: false });
    live.add({ record, scriptFolder: null, stopping: new AbortController(), entry: { make: () => false } });
    return { run: { record, log }, ending: runEnding(), isRefused: false };
  };
  const hasEnded = ({ run }: ReturnType<typeof known>) => store.find(run.record.runId)?.endedAt !== null;
  const told = () => eventLog.read(0).events.filter(({ type }) => type === 'run.ended');
  return { ends, known, hasEnded, told, store, live, acknowledged };
}

it('ends that can wait are written down a moment later, in their order, and only then acknowledged', () => {
  const { ends, known, hasEnded, told, live, acknowledged } = recorder();
  const [first, second] = [known(), known()];
  ends.recordSoon(first);
  ends.recordSoon(second);
  expect([hasEnded(first), acknowledged.length]).toEqual([false, 0]);
  expect(live.has(first.run.record.runId)).toBe(true);
  vi.runAllTimers();
  const runIds = [first, second].map(({ run }) => run.record.runId);
  expect(told().map(({ runId }) => runId)).toEqual(runIds);
  expect(acknowledged).toEqual(runIds);
  expect(live.has(first.run.record.runId)).toBe(false);
});

it('whoever wants to read finds every end, and an end that cannot wait takes along those before it', () => {
  const { ends, known, hasEnded } = recorder();
  const [first, second, third] = [known(), known(), known()];
  ends.recordSoon(first);
  ends.settle();
  expect(hasEnded(first)).toBe(true);
  ends.recordSoon(second);
  ends.record(third);
  expect([second, third].map(hasEnded)).toEqual([true, true]);
});

it('while another run is on its way a few ends are written down, and many wait for their time', () => {
  const { ends, known, hasEnded } = recorder();
  const first = known();
  ends.recordSoon(first);
  ends.settleFew();
  expect(hasEnded(first)).toBe(true);
  const many = [known(), known(), known()];
  for (const each of many) ends.recordSoon(each);
  ends.settleFew();
  expect(many.map(hasEnded)).toEqual([false, false, false]);
  vi.runAllTimers();
  expect(many.map(hasEnded)).toEqual([true, true, true]);
});

it('one end that cannot be written down holds back no other, and is tried again', () => {
  const { ends, known, hasEnded, told, store } = recorder();
  const [bad, good] = [known(), known()];
  const { finish } = store;
  store.finish = (runId, ending) => {
    if (runId === bad.run.record.runId) throw new Error('no room');
    return finish.call(store, runId, ending);
  };
  ends.recordSoon(bad);
  ends.recordSoon(good);
  ends.settle();
  expect([bad, good].map(hasEnded)).toEqual([false, true]);
  store.finish = finish;
  vi.runAllTimers();
  expect(hasEnded(bad)).toBe(true);
  expect(told()).toHaveLength(2);
});
