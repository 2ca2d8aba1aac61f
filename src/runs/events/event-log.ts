import { Feed } from '../../shared/feed.ts';
import type { Logger } from '../../shared/log.ts';
import type { RunStore } from '../run-store.ts';
import type { EventStore, EventType, LoggedEvent, NewEvent } from './event-store.ts';

interface EventLogOptions {
  store: EventStore;
  /** Runs the transactions in which events are written. */
  runs: Pick<RunStore, 'atomically'>;
  log: Logger;
  /**
   * How many events are stored, and how many of these are also cached in memory, so that clients that keep up need no
   * queries.
   */
  keep?: { events: number; inMemory: number };
}

/** The events after a position. */
export interface Batch {
  readonly events: readonly LoggedEvent[];
  /** The position for the next read. */
  readonly position: number;
  /** Set if events after the old position were removed, or if the position was never issued by this log. */
  readonly hasMissed: boolean;
}

/** Number of events in a read. This limits the memory that a slow client uses. */
const batchEvents = 50;
/** Number of old events removed at once: enough to make removals rare, few enough to delay no request. */
const pruneStep = 100;

/** All events in order. A client reads the events that follow the last one it received. */
export class EventLog {
  /** Publishes each event after it is on record. */
  readonly published = new Feed<LoggedEvent>();
  readonly #store: EventStore;
  readonly #runs: Pick<RunStore, 'atomically'>;
  readonly #log: Logger;
  readonly #keep: { events: number; inMemory: number };
  /** The newest events: all events after `#recentAfter`. */
  readonly #recent: LoggedEvent[] = [];
  #recentAfter: number;
  #newest: number;
  /** The last event that was removed to make room. Events that were removed with their runs do not count as missed. */
  #goneUpTo: number;
  #count: number;

  constructor({ store, runs, log, keep = { events: 10_000, inMemory: 1000 } }: EventLogOptions) {
    this.#store = store;
    this.#runs = runs;
    this.#log = log;
    this.#keep = keep;
    const { count, goneUpTo, newest } = store.extent();
    this.#count = count;
    this.#newest = newest;
    this.#recentAfter = newest;
    this.#goneUpTo = goneUpTo;
  }

  /** Whether no event was removed to make room for newer ones. */
  get isWhole(): boolean {
    return this.#goneUpTo === 0;
  }

  /** The position for clients that want only new events. */
  get newest(): number {
    return this.#newest;
  }

  /**
   * Performs `work` and records its events in one transaction. Events are published after the commit. Do not call it
   * inside another transaction, which might still fail.
   */
  record<Result>(
    work: (write: (event: NewEvent) => LoggedEvent) => Result,
    { durable }: { durable: boolean },
  ): Result {
    const written: [event: LoggedEvent, replaces: number | undefined][] = [];
    const write = (event: NewEvent) => {
      const logged = this.#store.append(event);
      written.push([logged, event.replaces]);
      return logged;
    };
    const result = this.#runs.atomically(() => work(write), { durable });
    for (const [event, replaces] of written) this.#note(event, replaces);
    this.#prune();
    for (const [event] of written) this.published.publish(event);
    return result;
  }

  /** Records an event that belongs to no other record. A failure is logged and returns null. */
  publish(event: NewEvent): LoggedEvent | null {
    try {
      return this.record((write) => write(event), { durable: false });
    } catch (error) {
      this.#log.error({ err: error, type: event.type }, 'cannot record an event');
      return null;
    }
  }

  read(position: number): Batch {
    if (position < this.#goneUpTo || position > this.#newest) {
      return { events: [], position: this.#goneUpTo, hasMissed: true };
    }
    const index = this.#indexAfter(position);
    const events =
      position < this.#recentAfter
        ? this.#store.after(position, batchEvents)
        : this.#recent.slice(index, index + batchEvents);
    return { events, position: events.at(-1)?.seq ?? this.#newest, hasMissed: false };
  }

  /** The stored events of these runs. */
  ofRuns(runIds: readonly string[]): LoggedEvent[] {
    return this.#store.ofRuns(runIds);
  }

  /** The stored events of a type. */
  ofType(type: EventType): LoggedEvent[] {
    return this.#store.ofType(type);
  }

  /** Drops the events of removed runs from memory. `events` is the number removed from the store. */
  forgetRuns(runIds: readonly string[], events: number): void {
    this.#count -= events;
    const kept = this.#recent.filter(({ runId }) => runId === null || !runIds.includes(runId));
    if (kept.length < this.#recent.length) this.#recent.splice(0, this.#recent.length, ...kept);
  }

  #note(event: LoggedEvent, replaces: number | undefined): void {
    this.#newest = event.seq;
    this.#count++;
    this.#recent.push(event);
    if (replaces !== undefined) {
      this.#count--;
      const index = this.#indexAfter(replaces) - 1;
      if (this.#recent[index]?.seq === replaces) this.#recent.splice(index, 1);
    }
    while (this.#recent.length > this.#keep.inMemory) {
      this.#recentAfter = this.#recent.shift()?.seq ?? this.#recentAfter;
    }
  }

  /** The index in memory of the first event after `seq`. */
  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#recent.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#recent[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #prune(): void {
    if (this.#count < this.#keep.events + pruneStep) return;
    try {
      const { count, last } = this.#store.removeOldest(pruneStep);
      this.#count -= count;
      this.#goneUpTo = last ?? this.#goneUpTo;
    } catch (error) {
      this.#log.error({ err: error }, 'cannot remove old events');
    }
  }
}
