import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { MemoryKeyStore } from '../../test/support/memory-key-store.ts';
import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { newRun } from '../../test/support/new-run.ts';
import { runEnding } from '../../test/support/run-records.ts';
import { createLogger } from '../shared/log.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { SqliteEventStore } from '../storage/sqlite-event-store.ts';
import { EventLog, Ledger } from './ledger.ts';
import type { Run } from './run.ts';
import type { RunEnding } from './run-record.ts';

const log = await createLogger('silent');
const startedAt = '2024-05-01T12:00:01.000Z';
const start = { startedAt, executor: '1-aa' };
const ending = runEnding();
const notStarted: RunEnding = { ...ending, state: 'failed', endCause: 'spawn-failed', startedAt: null };

let database: Database;
let store: MemoryRunStore;
let keys: MemoryKeyStore;
let publishedTypes: string[];

/** Opens the ledger of a service. The next call opens the ledger of the next service. */
function open() {
  const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: store, log });
  const ledger = new Ledger({
    store,
    keys,
    eventLog,
    clock: { now: () => new Date() },
    keepKeysMs: 1000,
    encode: {
      run: ({ state, startedAt }) => JSON.stringify({ state, startedAt }),
      progress: ({ message }) => JSON.stringify({ message }),
    },
  });
  ledger.feed.subscribe(({ type }) => publishedTypes.push(type));
  return {
    ledger,
    end: (run: Run, how = ending, isRefused = false) => {
      const onRecorded = vi.fn();
      ledger.end(run, { ending: how, isRefused, onRecorded });
      return onRecorded;
    },
    report: (run: Run, message: string) => ledger.report(run, { fraction: null, message }),
    recover: () => {
      const runs = store.unfinished().map((record) => newRun(record, { isRecovered: true }));
      ledger.recover(runs);
      return runs;
    },
    published: () =>
      eventLog.read(0).events.map(({ type, data }) => [type.slice('run.'.length), JSON.parse(data)]),
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  database = openDatabase(':memory:');
  store = new MemoryRunStore();
  keys = new MemoryKeyStore();
  publishedTypes = [];
});

afterEach(() => {
  vi.useRealTimers();
  database.close();
});

const queued = ['queued', { state: 'queued', startedAt: null }];
const started = ['started', { state: 'running', startedAt }];
const ended = ['ended', { state: 'succeeded', startedAt }];
const progress = (message: string) => ['progress', { message }];

function breakWrites(): void {
  database.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END");
}

function repairWrites(): void {
  database.exec('DROP TRIGGER full');
}

describe('a run that queues', () => {
  it('is recorded three times: accepted, started, ended', () => {
    const { ledger, end, published } = open();
    const run = newRun();
    const { runId } = run.record;
    ledger.queue(run);
    expect(store.find(runId)?.state).toBe('queued');
    ledger.queue(run);
    ledger.start(run, start);
    expect(store.find(runId)).toMatchObject({ state: 'running', ...start });
    ledger.started(run);
    ledger.started(run);
    expect(end(run)).toHaveBeenCalledOnce();
    expect(store.find(runId)?.state).toBe('succeeded');
    expect(published()).toEqual([queued, started, ended]);
    expect(publishedTypes).toEqual(['queued', 'started', 'ended']);
  });

  it('has exactly one end', () => {
    const { ledger, end, published } = open();
    const run = newRun();
    ledger.queue(run);
    ledger.start(run, start);
    end(run);
    expect(end(run, notStarted)).toHaveBeenCalledOnce();
    expect(store.find(run.record.runId)?.state).toBe('succeeded');
    expect(published()).toEqual([queued, started, ended]);
  });

  it('is not recorded if its event cannot be written', () => {
    const { ledger, published } = open();
    const run = newRun();
    breakWrites();
    expect(() => ledger.queue(run)).toThrow('no room');
    expect(store.has(run.record.runId)).toBe(false);
    repairWrites();
    ledger.queue(run);
    expect(published()).toEqual([queued]);
    expect(publishedTypes).toEqual(['queued']);
  });

  it('publishes no event if its row cannot be written', () => {
    const { ledger, published } = open();
    store.insert = () => {
      throw new Error('no room');
    };
    expect(() => ledger.queue(newRun())).toThrow('no room');
    expect([published(), publishedTypes]).toEqual([[], []]);
  });
});

describe('a run that starts at once', () => {
  it('is recorded twice: with its start, and with its end', () => {
    const { ledger, end, published } = open();
    const transactions = vi.spyOn(store, 'atomically');
    const run = newRun();
    ledger.start(run, start);
    expect(store.find(run.record.runId)).toMatchObject({ state: 'running', ...start });
    expect(published()).toEqual([queued]);
    end(run);
    expect(transactions).toHaveBeenCalledTimes(2);
    expect(published()).toEqual([queued, started, ended]);
    expect(publishedTypes).toEqual(['queued', 'started', 'ended']);
  });

  it('publishes its start before its end if it lasts', () => {
    const { ledger, end, published } = open();
    const run = newRun();
    ledger.start(run, start);
    ledger.started(run);
    expect(published()).toEqual([queued, started]);
    end(run);
    expect(published()).toEqual([queued, started, ended]);
  });

  it('publishes no start if its script could not be started', () => {
    const { ledger, end, published } = open();
    const run = newRun();
    ledger.start(run, start);
    end(run, notStarted);
    expect(published()).toEqual([queued, ['ended', { state: 'failed', startedAt: null }]]);
  });
});

describe('durable runs', () => {
  it('that arrive together share one durable transaction, in their order', async () => {
    const { ledger } = open();
    const transactions = vi.spyOn(store, 'atomically');
    const runs = [newRun(), newRun(), newRun()];
    await Promise.all(runs.map((run) => ledger.queueDurably(run)));
    expect(transactions.mock.calls).toEqual([[expect.any(Function), { durable: true }]]);
    expect(store.unfinished().map(({ runId }) => runId)).toEqual(runs.map(({ record }) => record.runId));
    expect(publishedTypes).toEqual(['queued', 'queued', 'queued']);
  });

  it('are recorded even if another one cannot be written', async () => {
    const { ledger } = open();
    const [first, bad, last] = [newRun(), newRun(), newRun()];
    const { insert } = store;
    store.insert = (record, ...rest) => {
      if (record.runId === bad.record.runId) throw new Error('no room');
      return insert.call(store, record, ...rest);
    };
    const results = await Promise.allSettled([first, bad, last].map((run) => ledger.queueDurably(run)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([first, bad, last].map(({ record }) => store.has(record.runId))).toEqual([true, false, true]);
  });
});

describe('an end that cannot be written', () => {
  it('is retried until it succeeds, and reported as recorded only then', () => {
    const { ledger, end, published } = open();
    const run = newRun();
    ledger.start(run, start);
    breakWrites();
    const onRecorded = end(run);
    vi.advanceTimersByTime(5000);
    expect(onRecorded).not.toHaveBeenCalled();
    expect(store.find(run.record.runId)?.endedAt).toBeNull();
    repairWrites();
    vi.advanceTimersByTime(1000);
    expect(onRecorded).toHaveBeenCalledOnce();
    expect(published()).toEqual([queued, started, ended]);
  });

  it('does not delay the end of another run', () => {
    const { ledger, end } = open();
    const [bad, good] = [newRun(), newRun()];
    for (const run of [bad, good]) ledger.start(run, start);
    const { finish } = store;
    store.finish = (runId, how) => {
      if (runId === bad.record.runId) throw new Error('no room');
      return finish.call(store, runId, how);
    };
    expect(end(bad)).not.toHaveBeenCalled();
    expect(end(good)).toHaveBeenCalledOnce();
  });
});

describe('a start that cannot be written', () => {
  it('is published with the end', () => {
    const { ledger, end, published } = open();
    const run = newRun();
    ledger.start(run, start);
    breakWrites();
    ledger.started(run);
    repairWrites();
    expect(publishedTypes).toEqual(['queued']);
    end(run);
    expect(published()).toEqual([queued, started, ended]);
  });
});

describe('an idempotency key', () => {
  it('is kept with its run, and released if the run is refused', () => {
    const { ledger, end } = open();
    const [kept, refused] = [newRun(), newRun()];
    ledger.queue(kept);
    expect(keys.isHeld(kept.record.runId)).toBe(true);
    end(kept);
    expect(keys.isHeld(kept.record.runId)).toBe(true);
    ledger.queue(refused);
    end(refused, notStarted, true);
    expect(keys.isHeld(refused.record.runId)).toBe(false);
  });
});

describe('after the service was killed', () => {
  it('the next service publishes a start that was not published, once', () => {
    const first = open();
    first.ledger.start(newRun(), start);
    const second = open();
    for (const run of second.recover()) second.ledger.started(run);
    const third = open();
    for (const run of third.recover()) {
      third.ledger.started(run);
      third.end(run);
    }
    expect(third.published()).toEqual([queued, started, ended]);
  });

  it('a queued run starts and ends', () => {
    open().ledger.queue(newRun());
    const next = open();
    for (const run of next.recover()) {
      next.ledger.start(run, start);
      next.ledger.started(run);
      next.end(run);
    }
    expect(next.published()).toEqual([queued, started, ended]);
  });

  it('the last progress is restored, and the next progress replaces it', () => {
    const first = open();
    const killed = newRun();
    first.ledger.start(killed, start);
    first.report(killed, 'a');
    const next = open();
    for (const run of next.recover()) {
      expect(next.ledger.progressOf(run.record.runId)?.data).toBe('{"message":"a"}');
      next.report(run, 'b');
    }
    expect(next.published()).toEqual([queued, started, progress('b')]);
  });
});

describe('progress', () => {
  function running() {
    const opened = open();
    const run = newRun();
    opened.ledger.start(run, start);
    const { runId } = run.record;
    return { ...opened, run, runId, reportMessage: (message: string) => opened.report(run, message) };
  }

  it('shows that a run has started', () => {
    const { reportMessage, published } = running();
    reportMessage('a');
    expect(published()).toEqual([queued, started, progress('a')]);
  });

  it('is published a few times a second, always the newest, and only the newest is kept', () => {
    const { ledger, runId, reportMessage, published } = running();
    const texts: unknown[] = [];
    for (let count = 0; count < 1000; count++) {
      reportMessage(String(count));
      texts.push(ledger.progressOf(runId)?.data);
      vi.advanceTimersByTime(2);
    }
    expect(new Set(texts).size).toBeGreaterThan(5);
    expect(new Set(texts).size).toBeLessThan(15);
    vi.advanceTimersByTime(1000);
    expect(published()).toEqual([queued, started, progress('999')]);
  });

  it('is published before the end, even if it was delayed', () => {
    const { run, reportMessage, end, published } = running();
    reportMessage('first');
    reportMessage('last');
    end(run);
    vi.advanceTimersByTime(1000);
    expect(published()).toEqual([queued, started, progress('last'), ended]);
  });

  it('that could not be written is written as soon as possible', () => {
    const { reportMessage, published } = running();
    reportMessage('first');
    breakWrites();
    vi.advanceTimersByTime(1000);
    reportMessage('second');
    vi.advanceTimersByTime(1000);
    repairWrites();
    vi.advanceTimersByTime(1000);
    expect(published()).toEqual([queued, started, progress('second')]);
  });
});
