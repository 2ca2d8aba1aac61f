import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import { createLogger } from '../shared/log.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { SqliteEventStore } from '../storage/sqlite-event-store.ts';
import { SqliteRunRemoval } from '../storage/sqlite-retention-store.ts';
import { SqliteRunStore } from '../storage/sqlite-run-store.ts';
import type { LoggedEvent } from './event-store.ts';
import { EventLog } from './ledger.ts';

const log = await createLogger('silent');

function openLog({ events = 1000, inMemory = 20, database = openDatabase(':memory:') } = {}) {
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  const reopen = () =>
    new EventLog({
      store: new SqliteEventStore(database),
      runs: new SqliteRunStore(database),
      log,
      keep: { events, inMemory },
    });
  return { database, reopen, eventLog: reopen() };
}

const notification = (text: string) =>
  ({ type: 'notification', runId: null, data: JSON.stringify({ text }) }) as const;

function recordMany(eventLog: EventLog, count: number): LoggedEvent[] {
  return Array.from({ length: count }, (_, index) => eventLog.publish(notification(String(index)))).filter(
    (event) => event !== null,
  );
}

/** Returns all events after a position. */
function readOn(eventLog: EventLog, from: number): { events: LoggedEvent[]; missed: number } {
  const events: LoggedEvent[] = [];
  let missed = 0;
  for (let position = from, isDone = false; !isDone; ) {
    const batch = eventLog.read(position);
    missed += Number(batch.hasMissed);
    events.push(...batch.events);
    isDone = batch.position === position;
    position = batch.position;
  }
  return { events, missed };
}

function breakWrites(database: Database): void {
  database.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END");
}

describe('the log of events', () => {
  it('numbers events consecutively, also after it is opened again', () => {
    const { eventLog, reopen } = openLog();
    expect(eventLog.newest).toBe(0);
    expect(recordMany(eventLog, 3).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const later = reopen();
    expect(later.newest).toBe(3);
    expect(later.publish(notification('x'))?.seq).toBe(4);
  });

  it('never reuses a number, even if the newest events were removed', () => {
    const { eventLog, reopen } = openLog();
    const first = eventLog.publish({ type: 'run.progress', runId: 'a', data: '{}' });
    eventLog.publish({ type: 'run.progress', runId: 'a', data: '{}', replaces: first?.seq ?? 0 });
    const later = reopen();
    expect(later.newest).toBe(2);
    expect(readOn(later, 1).events.map(({ seq }) => seq)).toEqual([2]);
  });

  it('replays events from memory and from disk without changing a byte', () => {
    const { eventLog, reopen } = openLog({ inMemory: 5 });
    const recorded = recordMany(eventLog, 200);
    const odd = { type: 'notification', runId: null, data: '{"text":"完成\u2028 \\n 😀"}' } as const;
    recorded.push(...[eventLog.publish(odd)].filter((event) => event !== null));
    expect(readOn(eventLog, 0)).toEqual({ events: recorded, missed: 0 });
    expect(readOn(reopen(), 0)).toEqual({ events: recorded, missed: 0 });
  });

  it('reports missing events if and only if events are missing', () => {
    const { eventLog, reopen } = openLog({ events: 100, inMemory: 10 });
    const recorded = recordMany(eventLog, 500);
    const oldest = readOn(eventLog, 0).events[0]?.seq ?? 0;
    expect(oldest).toBeGreaterThan(200);
    for (const each of [eventLog, reopen()]) {
      expect(readOn(each, oldest - 2).missed).toBe(1);
      expect(readOn(each, oldest - 2).events).toEqual(recorded.filter(({ seq }) => seq >= oldest));
      expect(readOn(each, oldest - 1).missed).toBe(0);
      expect(readOn(each, 500)).toEqual({ events: [], missed: 0 });
      // A position from another database.
      expect(readOn(each, 501)).toEqual({ events: recorded.filter(({ seq }) => seq >= oldest), missed: 1 });
    }
  });

  it('keeps the configured number of events, not counting gaps', () => {
    const { eventLog, database } = openLog({ events: 100 });
    recordMany(eventLog, 90);
    let replaces: number | undefined;
    for (let count = 0; count < 500; count++) {
      const progress = { type: 'run.progress', runId: 'a', data: '{}' } as const;
      replaces = eventLog.publish({ ...progress, ...(replaces !== undefined && { replaces }) })?.seq;
    }
    expect(database.prepare('SELECT count(*) AS count FROM events').get()).toEqual({ count: 91 });
    expect(readOn(eventLog, 0).missed).toBe(0);
    recordMany(eventLog, 1000);
    const { count } = database.prepare('SELECT count(*) AS count FROM events').get() ?? {};
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(200);
  });

  it('forgets removed runs on disk and in memory without reporting missed events', () => {
    for (const inMemory of [1, 100]) {
      const { eventLog, database, reopen } = openLog({ events: 100, inMemory });
      const runs = new SqliteRunStore(database);
      const removal = new SqliteRunRemoval(database);
      removal.forgotten.subscribe(({ runIds, events }) => eventLog.forgetRuns(runIds, events));
      const [gone, stays] = [queuedRun(), queuedRun()];
      for (const { runId } of [gone, stays, gone, stays])
        eventLog.publish({ type: 'run.queued', runId, data: '{}' });
      for (const run of [gone, stays]) runs.insert(run, `token of ${run.runId}`, { durable: false });
      runs.finish(gone.runId, runEnding());
      expect(removal.forgetRuns([gone.runId, stays.runId])).toEqual([gone.runId]);
      for (const each of [eventLog, reopen()]) {
        for (const from of [0, 1, 2]) {
          const { events, missed } = readOn(each, from);
          expect(events.map(({ seq }) => seq)).toEqual([2, 4].filter((seq) => seq > from));
          expect(missed).toBe(0);
        }
      }
      recordMany(eventLog, 190);
      expect(readOn(eventLog, 0).missed).toBe(0);
      recordMany(eventLog, 10);
      expect(readOn(eventLog, 0).missed).toBe(1);
    }
  });

  it('publishes no event of a transaction that fails', () => {
    const { eventLog } = openLog();
    const received: number[] = [];
    eventLog.published.subscribe(({ seq }) => received.push(seq));
    const fail = () =>
      eventLog.record(
        (write) => {
          write(notification('never'));
          throw new Error('no');
        },
        { durable: false },
      );
    expect(fail).toThrow('no');
    expect(received).toEqual([]);
    expect(eventLog.newest).toBe(0);
    eventLog.publish(notification('now'));
    expect(received).toEqual([1]);
    expect(readOn(eventLog, 0).events).toHaveLength(1);
  });

  it('continues when an independent event cannot be written', () => {
    const { eventLog, database } = openLog();
    breakWrites(database);
    expect(eventLog.publish(notification('lost'))).toBeNull();
    database.exec('DROP TRIGGER full');
    expect(eventLog.publish(notification('kept'))?.seq).toBe(1);
  });

  it('lets clients resume at any position and across restarts without duplicates or losses', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('tell' as const), count: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ kind: fc.constant('progress' as const), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('read' as const), client: fc.integer({ min: 0, max: 2 }) }),
      fc.constant({ kind: 'restart' as const }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 50, max: 300 }),
        (steps, inMemory, events) => {
          const { reopen, database } = openLog({ inMemory, events });
          let eventLog = reopen();
          const recorded = new Map<number, string>();
          let progress: number | undefined;
          const clients = [0, 1, 2].map(() => ({ position: 0, last: 0 }));
          for (const each of steps) {
            if (each.kind === 'tell') {
              for (const { seq, data } of recordMany(eventLog, each.count)) recorded.set(seq, data);
            } else if (each.kind === 'progress') {
              for (let count = 0; count < each.count; count++) {
                const replaces = progress === undefined ? {} : { replaces: progress };
                const event = {
                  type: 'run.progress',
                  runId: 'a',
                  data: `{"n":${count}}`,
                  ...replaces,
                } as const;
                if (progress !== undefined) recorded.delete(progress);
                progress = eventLog.publish(event)?.seq;
                recorded.set(progress ?? 0, event.data);
              }
            } else if (each.kind === 'restart') {
              eventLog = reopen();
            } else {
              const client = clients[each.client];
              const batch = eventLog.read(client?.position ?? 0);
              if (client === undefined) continue;
              for (const { seq, data } of batch.events) {
                expect(seq).toBeGreaterThan(client.last);
                expect(data).toBe(recorded.get(seq));
                if (batch.hasMissed) continue;
                const skipped = [...recorded.keys()].filter(
                  (known) => known > client.position && known < seq,
                );
                expect(skipped).toEqual([]);
                client.position = seq;
                client.last = seq;
              }
              client.position = batch.position;
            }
          }
          database.close();
        },
      ),
      { numRuns: 200 },
    );
  });
});
