/** The events that clients of the service can receive. The output of a run is not an event: it has a stream of its own. */
export const eventTypes = [
  'run.queued',
  'run.started',
  'run.progress',
  'run.ended',
  'notification',
  'model.progress',
  'package.progress',
  'scripts.changed',
  'agents.changed',
] as const;
export type EventType = (typeof eventTypes)[number];

export interface NewEvent {
  readonly type: EventType;
  readonly runId: string | null;
  /** JSON on one line, exactly as it is sent: a replay is identical to the byte. */
  readonly data: string;
  /** The sequence number of an event that becomes obsolete. It is removed when this one is added. */
  readonly replaces?: number;
}

export interface LoggedEvent extends Omit<NewEvent, 'replaces'> {
  /** Increases from one event to the next and is never reused. There may be gaps. */
  readonly seq: number;
}

/** The storage of events. The interface is declared here and implemented in `storage/`. */
export interface EventStore {
  /**
   * The number of events, the last one that was removed to make room, and the last one ever written (0 if there is
   * none).
   */
  extent(): { readonly count: number; readonly goneUpTo: number; readonly newest: number };
  /** Joins an open transaction. */
  append(event: NewEvent): LoggedEvent;
  after(seq: number, most: number): LoggedEvent[];
  /** Returns how many events were removed, and the last of them. */
  removeOldest(count: number): { readonly count: number; readonly last: number | null };
  /** The stored events of these runs, oldest first. */
  ofRuns(runIds: readonly string[]): LoggedEvent[];
  /** The stored events of a type, oldest first. */
  ofType(type: EventType): LoggedEvent[];
}
