import { Feed } from '../../shared/feed.ts';
import type { Logger } from '../../shared/log.ts';
import type { RunStore } from '../run-store.ts';
import type { EventStore, EventType, LoggedEvent, NewEvent } from './event-store.ts';

interface EventLogOptions {
  store: EventStore;
  /** The transactions that events are written in. */
  runs: Pick<RunStore, 'atomically'>;
  log: Logger;
  /** How many events are kept, and how many of them in memory too, so that clients who keep up cost no queries. */
  keep?: { events: number; inMemory: number };
}

/** What comes after a position. */
export interface Batch {
  readonly events: readonly LoggedEvent[];
  /** Where to go on. */
  readonly position: number;
  /** Set when events that came after the old position are gone, or when nobody here has ever given that position out. */
  readonly hasMissed: boolean;
}

/** How many events are read at once: all that a client who cannot keep up holds in memory. */
const batchEvents = 50;
/** Old events are removed by so many at a time: enough to make it rare, few enough to hold nobody up. */
const pruneStep = 100;

/** All events, in order, for whoever wants to know what happened after the last one that they know of. */
export class EventLog {
  /** Each event once it is on record. */
  readonly told = new Feed<LoggedEvent>();
  readonly #store: EventStore;
  readonly #runs: Pick<RunStore, 'atomically'>;
  readonly #log: Logger;
  readonly #keep: { events: number; inMemory: number };
  /** The newest ones: all those behind `#recentAfter`. */
  readonly #recent: LoggedEvent[] = [];
  #recentAfter: number;
  #newest: number;
  /** Up to here events were removed because there are newer ones. That others are gone, with their runs, nobody needs to know. */
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

  /** Whether no event had to go because there are newer ones. */
  get isWhole(): boolean {
    return this.#goneUpTo === 0;
  }

  /** The position of whoever wants to know only what comes. */
  get newest(): number {
    return this.#newest;
  }

  /**
   * Writes down what happened and the events that tell of it: both or neither. Nobody hears of them before they are safe. Not to
   * be used inside another transaction, which might still fail.
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
    for (const [event] of written) this.told.publish(event);
    return result;
  }

  /** Tells of something that is not on record elsewhere. That it cannot be is no reason to fail. */
  tell(event: NewEvent): LoggedEvent | null {
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

  /** All that is kept of these runs. */
  ofRuns(runIds: readonly string[]): LoggedEvent[] {
    return this.#store.ofRuns(runIds);
  }

  /** All of a type that are kept. */
  ofType(type: EventType): LoggedEvent[] {
    return this.#store.ofType(type);
  }

  /** These runs were removed, and so many events with them. */
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

  /** Where in memory the events behind this one begin. */
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
