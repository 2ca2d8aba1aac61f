import { jsonLine } from './http/send-json.ts';
import type { EventLog } from './runs/events/event-log.ts';
import type { EventType } from './runs/events/event-store.ts';
import { systemClock } from './shared/clock.ts';
import type { Feed } from './shared/feed.ts';
import { isJsonObject, type JsonObject } from './shared/json.ts';

/** A full disk, which may be just what ended the work, has to be cleared by somebody. */
const retryMs = 1000;

interface Telling {
  /** The event that was told last: the next one takes its place, so that the log is not filled by one piece of work. */
  told: number | undefined;
  /** An end that could not be told yet. */
  retry: NodeJS.Timeout | undefined;
}

interface Work {
  readonly id: string;
  readonly state: string;
}

interface ProgressOptions<View extends Work> {
  readonly type: EventType;
  readonly feed: Feed<View>;
  readonly encode: (view: View, at: Date) => string;
  /** What changes in the event of work that was under way when a service was killed, besides its state and its end. */
  readonly interrupted: JsonObject;
}

/**
 * How far work is that takes its time is told to clients. A step that cannot be told is left out; the end is tried until it can be,
 * and that of work which was under way when a service was killed is told by the next one.
 */
export function tellProgress<View extends Work>(
  eventLog: EventLog,
  { type, feed, encode, interrupted }: ProgressOptions<View>,
): () => void {
  endInterrupted(eventLog, type, interrupted);
  const tellings = new Map<string, Telling>();
  const tell = (view: View) => {
    const telling = tellings.get(view.id) ?? { told: undefined, retry: undefined };
    tellings.set(view.id, telling);
    const { told } = telling;
    const data = encode(view, systemClock.now());
    const event = eventLog.tell({ type, runId: null, data, ...(told !== undefined && { replaces: told }) });
    if (event !== null) telling.told = event.seq;
    if (view.state === 'running') return;
    if (event !== null) tellings.delete(view.id);
    else telling.retry = setTimeout(() => tell(view), retryMs).unref();
  };
  const unsubscribe = feed.subscribe(tell);
  return () => {
    unsubscribe();
    for (const { retry } of tellings.values()) clearTimeout(retry);
  };
}

/** Such work does not outlive its service, so what is said to run has ended with an earlier one. */
function endInterrupted(eventLog: EventLog, type: EventType, interrupted: JsonObject): void {
  for (const { seq, data } of eventLog.ofType(type)) {
    const told: unknown = JSON.parse(data);
    if (!isJsonObject(told) || told.state !== 'running') continue;
    const now = systemClock.now().toISOString();
    const end = { ...interrupted, state: 'cancelled', ended_at: now, at: now };
    eventLog.tell({ type, runId: null, data: jsonLine({ ...told, ...end }), replaces: seq });
  }
}
