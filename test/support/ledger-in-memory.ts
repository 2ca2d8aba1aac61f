import { onTestFinished } from 'vitest';

import { eventData } from '../../src/http/events/event-data.ts';
import type { KeyStore } from '../../src/runs/keys/key-store.ts';
import { EventLog, Ledger } from '../../src/runs/ledger.ts';
import type { RunStore } from '../../src/runs/run-store.ts';
import { systemClock } from '../../src/shared/clock.ts';
import type { Logger } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { SqliteEventStore } from '../../src/storage/sqlite-event-store.ts';
import { MemoryKeyStore } from './memory-key-store.ts';

/** The ledger of a store. Its events are in a database that is removed when the test ends. */
export function ledgerInMemory(
  store: RunStore,
  log: Logger,
  { keys = new MemoryKeyStore(), keepKeysMs = 0 }: { keys?: KeyStore; keepKeysMs?: number } = {},
): { eventLog: EventLog; ledger: Ledger } {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: store, log });
  const ledger = new Ledger({ store, keys, eventLog, clock: systemClock, keepKeysMs, encode: eventData });
  return { eventLog, ledger };
}
