import { jsonLine } from '../http/send-json.ts';
import type { EventLog } from '../runs/events/event-log.ts';
import type { EventType } from '../runs/events/event-store.ts';
import { systemClock } from '../shared/clock.ts';
import type { Feed } from '../shared/feed.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';

/** Delay between attempts to publish an end. A write may fail because the disk is full, and freeing space takes a while. */
const retryMs = 1000;

interface Publication {
  /**
   * Sequence number of the last published event. The next event replaces it, so that one operation does not fill the
   * log.
   */
  lastSeq: number | undefined;
  /** Timer of the next attempt to publish the end, after a failed one. */
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
  /**
   * Fields, besides the state and the end time, that change in the event of work that was interrupted by a killed
   * service.
   */
  readonly interrupted: JsonObject;
}

/**
 * Publishes the progress of long operations to clients. A step that cannot be published is skipped. An end is retried
 * until it is published. The end of work that was interrupted by a killed service is published by the next service.
 */
export function publishProgress<View extends Work>(
  eventLog: EventLog,
  { type, feed, encode, interrupted }: ProgressOptions<View>,
): () => void {
  endInterrupted(eventLog, type, interrupted);
  const publications = new Map<string, Publication>();
  const publish = (view: View) => {
    const publication = publications.get(view.id) ?? { lastSeq: undefined, retry: undefined };
    publications.set(view.id, publication);
    const { lastSeq } = publication;
    const data = encode(view, systemClock.now());
    const event = eventLog.publish({
      type,
      runId: null,
      data,
      ...(lastSeq !== undefined && { replaces: lastSeq }),
    });
    if (event !== null) publication.lastSeq = event.seq;
    if (view.state === 'running') return;
    if (event !== null) publications.delete(view.id);
    else publication.retry = setTimeout(() => publish(view), retryMs).unref();
  };
  const unsubscribe = feed.subscribe(publish);
  return () => {
    unsubscribe();
    for (const { retry } of publications.values()) clearTimeout(retry);
  };
}

/** Work ends with its service, so an event that says `running` at startup belongs to an earlier service. */
function endInterrupted(eventLog: EventLog, type: EventType, interrupted: JsonObject): void {
  for (const { seq, data } of eventLog.ofType(type)) {
    const published: unknown = JSON.parse(data);
    if (!isJsonObject(published) || published.state !== 'running') continue;
    const now = systemClock.now().toISOString();
    const end = { ...interrupted, state: 'cancelled', ended_at: now, at: now };
    eventLog.publish({ type, runId: null, data: jsonLine({ ...published, ...end }), replaces: seq });
  }
}
