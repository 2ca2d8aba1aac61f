import type { StatementSyncInstance } from '@photostructure/sqlite';

import {
  type EventStore,
  type EventType,
  eventTypes,
  type LoggedEvent,
  type NewEvent,
} from '../runs/event-store.ts';
import { type Database, Facts, named, transact } from './database.ts';
import { oneOf, type Row } from './sqlite-run-store.ts';

const columns = 'seq, type, run_id, data';
/** Stored separately: the oldest event does not show it, because an event before it may have been removed with its run. */
const goneUpTo = 'events_gone_up_to';

/** Stores events in SQLite. */
export class SqliteEventStore implements EventStore {
  readonly #database: Database;
  readonly #facts: Facts;
  readonly #extent: StatementSyncInstance;
  readonly #append: StatementSyncInstance;
  readonly #remove: StatementSyncInstance;
  readonly #after: StatementSyncInstance;
  readonly #removeOldest: StatementSyncInstance;
  readonly #ofRuns: StatementSyncInstance;
  readonly #ofType: StatementSyncInstance;

  constructor(database: Database) {
    this.#database = database;
    this.#facts = new Facts(database);
    // Uses the table of sequences: the newest events may have been removed, and their numbers must not be reused.
    this.#extent = database.prepare(
      `SELECT count(*) AS count, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS newest FROM events`,
    );
    this.#append = database.prepare('INSERT INTO events (type, run_id, data) VALUES (?, ?, ?) RETURNING seq');
    this.#remove = database.prepare('DELETE FROM events WHERE seq = ?');
    this.#after = database.prepare(`SELECT ${columns} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`);
    this.#removeOldest = database.prepare(
      'DELETE FROM events WHERE seq IN (SELECT seq FROM events ORDER BY seq LIMIT ?) RETURNING seq',
    );
    this.#ofRuns = database.prepare(
      `SELECT ${columns} FROM events WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY seq`,
    );
    this.#ofType = database.prepare(`SELECT ${columns} FROM events WHERE type = ? ORDER BY seq`);
  }

  extent(): { count: number; goneUpTo: number; newest: number } {
    const row = this.#extent.get();
    return {
      count: Number(row?.count),
      goneUpTo: Number(this.#facts.get(goneUpTo) ?? 0),
      newest: Number(row?.newest),
    };
  }

  append({ type, runId, data, replaces }: NewEvent): LoggedEvent {
    return named(() => {
      if (replaces !== undefined) this.#remove.run(replaces);
      const seq = Number(this.#append.get(type, runId, data)?.seq);
      return { seq, type, runId, data };
    });
  }

  after(seq: number, most: number): LoggedEvent[] {
    return this.#after.all(seq, most).map(toEvent);
  }

  removeOldest(count: number): { count: number; last: number | null } {
    return named(() =>
      transact(this.#database, () => {
        const removed = this.#removeOldest.all(count).map(({ seq }) => Number(seq));
        if (removed.length === 0) return { count: 0, last: null };
        const last = Math.max(...removed);
        this.#facts.set(goneUpTo, String(last));
        return { count: removed.length, last };
      }),
    );
  }

  ofRuns(runIds: readonly string[]): LoggedEvent[] {
    return this.#ofRuns.all(JSON.stringify(runIds)).map(toEvent);
  }

  ofType(type: EventType): LoggedEvent[] {
    return this.#ofType.all(type).map(toEvent);
  }
}

function toEvent(row: Row): LoggedEvent {
  return {
    seq: Number(row.seq),
    type: oneOf<EventType>(eventTypes, row.type),
    runId: row.run_id === null ? null : String(row.run_id),
    data: String(row.data),
  };
}
