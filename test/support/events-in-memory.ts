import { onTestFinished } from 'vitest';

import { eventData } from '../../src/http/events/event-data.ts';
import { EventLog } from '../../src/runs/events/event-log.ts';
import { RunEvents } from '../../src/runs/events/run-events.ts';
import type { RunStore } from '../../src/runs/run-store.ts';
import type { Logger } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { SqliteEventStore } from '../../src/storage/sqlite-event-store.ts';

/** Events of the runs in a store, in a database that goes with the test. */
export function eventsInMemory(store: RunStore, log: Logger): { eventLog: EventLog; runEvents: RunEvents } {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: store, log });
  const runEvents = new RunEvents({ log: eventLog, store, logger: log, encode: eventData });
  return { eventLog, runEvents };
}
