import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryRunStore } from '../../../test/support/memory-run-store.ts';
import { queuedRun, runEnding } from '../../../test/support/run-records.ts';
import { createLogger } from '../../shared/log.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import { SqliteEventStore } from '../../storage/sqlite-event-store.ts';
import type { RunEnding } from '../run-record.ts';
import { EventLog } from './event-log.ts';
import { RunEvents } from './run-events.ts';

const logger = await createLogger('silent');
const runId = '93081ff8-7e74-4d11-9162-237fb30f8fee';

const record = queuedRun({ runId });

const ending = runEnding();
const notStarted: RunEnding = { ...ending, state: 'failed', endCause: 'spawn-failed', startedAt: null };

let database: Database;
let store: MemoryRunStore;
let heard: string[];

/** What a service tells; called again it is that of the next service. */
function open() {
  const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: store, log: logger });
  const events = new RunEvents({
    log: eventLog,
    store,
    logger,
    encode: {
      run: ({ state, startedAt }) => JSON.stringify({ state, startedAt }),
      progress: ({ message }) => JSON.stringify({ message }),
    },
  });
  events.feed.subscribe(({ type }) => heard.push(type));
  return {
    events,
    queue: () => events.queue([{ runId, insert: () => store.insert(record, 'hash') }], { durable: true }),
    queueStarting: () =>
      events.queueStarting({
        runId,
        insert: () =>
          store.insert(record, 'hash', {
            start: { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' },
          }),
      }),
    give: () => store.markStarted(runId, { startedAt: '2024-05-01T12:00:01.000Z', executor: '1-aa' }),
    end: (how = ending) => events.end([{ runId, finish: () => store.finish(runId, how) }]).has(runId),
    say: (message: string) => events.report(runId, { fraction: null, message }, new Date()),
    told: () =>
      eventLog.read(0).events.map(({ type, data }) => [type.slice('run.'.length), JSON.parse(data)]),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  database = openDatabase(':memory:');
  store = new MemoryRunStore();
  heard = [];
});

afterEach(() => {
  vi.useRealTimers();
  database.close();
});

const queued = ['queued', { state: 'queued', startedAt: null }];
const started = ['started', { state: 'running', startedAt: '2024-05-01T12:00:01.000Z' }];
const ended = ['ended', { state: 'succeeded', startedAt: '2024-05-01T12:00:01.000Z' }];
const progress = (message: string) => ['progress', { message }];

function breakWrites(): void {
  database.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END");
}

describe('the events of a run', () => {
  it('are three, each told once', () => {
    const { events, queue, give, end, told } = open();
    queue();
    give();
    events.start(runId);
    events.start(runId);
    expect(end()).toBe(true);
    expect(end()).toBe(false);
    expect(told()).toEqual([queued, started, ended]);
    expect(heard).toEqual(['queued', 'started', 'ended']);
  });

  it('have a start when nobody said so before the end', () => {
    const { queue, give, end, told } = open();
    queue();
    give();
    end();
    expect(told()).toEqual([queued, started, ended]);
    expect(heard).toEqual(['queued', 'started', 'ended']);
  });

  it('have a start that is told a moment later, with the time at which it was heard of', () => {
    const { events, queue, give, end, told } = open();
    const at: (number | undefined)[] = [];
    events.feed.subscribe(({ atMs }) => at.push(atMs));
    queue();
    give();
    const startMs = Date.now();
    events.startSoon(runId);
    expect(told()).toEqual([queued]);
    vi.advanceTimersByTime(1000);
    expect(told()).toEqual([queued, started]);
    expect(at).toEqual([undefined, startMs]);
    end();
    expect(told()).toEqual([queued, started, ended]);
  });

  it('have their start before an end that comes sooner, once', () => {
    const { events, queue, give, end, told } = open();
    const heardEvents: unknown[] = [];
    events.feed.subscribe(({ type, run, atMs }) => heardEvents.push([type, run, atMs]));
    queue();
    give();
    const before = store.findBrief(runId);
    const startMs = Date.now();
    events.startSoon(runId);
    end();
    vi.advanceTimersByTime(1000);
    events.startSoon(runId);
    vi.advanceTimersByTime(1000);
    expect(told()).toEqual([queued, started, ended]);
    expect(heardEvents[1]).toEqual(['started', before, startMs]);
  });

  it('have no start when there was none', () => {
    const { queue, give, end, told } = open();
    queue();
    give();
    end(notStarted);
    expect(told()).toEqual([queued, ['ended', { state: 'failed', startedAt: null }]]);
  });

  it('are not there for a run that could not be put on record', () => {
    const { events, told } = open();
    const insert = () => {
      throw new Error('no');
    };
    expect(() => events.queue([{ runId, insert }], { durable: true })).toThrow('no');
    expect(told()).toEqual([]);
    expect(heard).toEqual([]);
  });

  it('do not leave a run on record, or with an end, that cannot be told of', () => {
    const { queue, give, end, told } = open();
    breakWrites();
    expect(queue).toThrow('no room');
    expect(store.has(runId)).toBe(false);
    database.exec('DROP TRIGGER full');
    queue();
    give();
    breakWrites();
    expect(() => end()).toThrow('no room');
    expect(store.find(runId)?.endedAt).toBeNull();
    database.exec('DROP TRIGGER full');
    expect(end()).toBe(true);
    expect(told()).toEqual([queued, started, ended]);
  });

  it('get a start that could not be told with the end', () => {
    const { events, queue, give, end, told } = open();
    queue();
    give();
    breakWrites();
    events.start(runId);
    database.exec('DROP TRIGGER full');
    expect(heard).toEqual(['queued']);
    end();
    expect(told()).toEqual([queued, started, ended]);
  });
});

describe('after a kill of the service', () => {
  it('a start that was never told is told by the next, once', () => {
    const first = open();
    first.queue();
    first.give();
    const next = open();
    next.events.recover(store.unfinished());
    next.events.start(runId);
    const third = open();
    third.events.recover(store.unfinished());
    third.events.start(runId);
    third.end();
    expect(third.told()).toEqual([queued, started, ended]);
  });

  it('a run that waits has its start before it', () => {
    open().queue();
    const next = open();
    next.events.recover(store.unfinished());
    next.give();
    next.events.start(runId);
    next.end();
    expect(next.told()).toEqual([queued, started, ended]);
  });

  it('the progress that was told last is known, and the next one takes its place', () => {
    const first = open();
    first.queue();
    first.give();
    first.say('a');
    const next = open();
    next.events.recover(store.unfinished());
    expect(next.events.progressOf(runId)?.data).toBe('{"message":"a"}');
    next.say('b');
    expect(next.told()).toEqual([queued, started, progress('b')]);
  });
});

describe('progress', () => {
  it('shows that a run has started, whoever says so first', () => {
    const { queue, give, say, told } = open();
    queue();
    give();
    say('a');
    expect(told()).toEqual([queued, started, progress('a')]);
  });

  it('is told a few times a second, the newest always, and only the newest is kept', () => {
    const { events, queue, give, say, told } = open();
    queue();
    give();
    const texts: unknown[] = [];
    for (let count = 0; count < 1000; count++) {
      say(String(count));
      texts.push(events.progressOf(runId)?.data);
      vi.advanceTimersByTime(2);
    }
    expect(new Set(texts).size).toBeGreaterThan(5);
    expect(new Set(texts).size).toBeLessThan(15);
    vi.advanceTimersByTime(1000);
    expect(told()).toEqual([queued, started, progress('999')]);
  });

  it('comes before the end, also when it was not its turn yet', () => {
    const { queue, give, say, end, told } = open();
    queue();
    give();
    say('first');
    say('last');
    end();
    vi.advanceTimersByTime(1000);
    expect(told()).toEqual([queued, started, progress('last'), ended]);
  });

  it('that could not be told is told when it can', () => {
    const { queue, give, say, told } = open();
    queue();
    give();
    say('first');
    breakWrites();
    vi.advanceTimersByTime(1000);
    say('second');
    vi.advanceTimersByTime(1000);
    database.exec('DROP TRIGGER full');
    vi.advanceTimersByTime(1000);
    expect(told()).toEqual([queued, started, progress('second')]);
  });

  it('of a run that waits for nothing are told together, with its start or with its end', () => {
    const { events, queueStarting, end, told } = open();
    queueStarting();
    expect([told(), heard]).toEqual([[], ['queued']]);
    events.start(runId);
    expect(told()).toEqual([queued, started]);
    end();
    expect(told()).toEqual([queued, started, ended]);
    expect(heard).toEqual(['queued', 'started', 'ended']);
  });

  it('of a run that waits for nothing and is over at once are told with its end', () => {
    const { queueStarting, end, told } = open();
    queueStarting();
    end();
    expect(told()).toEqual([queued, started, ended]);
  });

  it('of a run that waits for nothing and could not be started are two', () => {
    const { queueStarting, end, told } = open();
    queueStarting();
    end(notStarted);
    expect(told().map(([type]) => type)).toEqual(['queued', 'ended']);
  });

  it('that no service came to tell are told by the next one', () => {
    open().queueStarting();
    const { events, end, told } = open();
    events.recover([{ runId, state: 'running' }]);
    end();
    expect(told()).toEqual([queued, started, ended]);
  });
});
