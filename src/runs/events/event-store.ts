/** What a client of the service can be told of. The output of a run is not among them: it is on the run's own stream alone. */
export const eventTypes = [
  'run.queued',
  'run.started',
  'run.progress',
  'run.ended',
  'notification',
  'model.progress',
  'package.progress',
  'scripts.changed',
] as const;
export type EventType = (typeof eventTypes)[number];

export interface NewEvent {
  readonly type: EventType;
  readonly runId: string | null;
  /** JSON on one line, as it goes out: a replay is the same to the byte. */
  readonly data: string;
  /** An event that this one makes worthless: it goes when this one comes. */
  readonly replaces?: number;
}

export interface LoggedEvent extends Omit<NewEvent, 'replaces'> {
  /** Grows from one event to the next, and is never used twice. There may be gaps. */
  readonly seq: number;
}

/** Where events are kept. Stated here, implemented in `storage/`. */
export interface EventStore {
  /** How many there are, the last that was removed as one of the oldest, and the last that there ever was (0 without any). */
  extent(): { readonly count: number; readonly goneUpTo: number; readonly newest: number };
  /** Inside a transaction it is a part of that. */
  append(event: NewEvent): LoggedEvent;
  after(seq: number, most: number): LoggedEvent[];
  /** Returns how many there were to remove, and the last of them. */
  removeOldest(count: number): { readonly count: number; readonly last: number | null };
  /** All that is kept of these runs, oldest first. */
  ofRuns(runIds: readonly string[]): LoggedEvent[];
  /** All of a type that are kept, oldest first. */
  ofType(type: EventType): LoggedEvent[];
}
