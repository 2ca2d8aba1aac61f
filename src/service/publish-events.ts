import { createHash } from 'node:crypto';

import { eventData } from '../http/events/event-data.ts';
import { jsonLine } from '../http/send-json.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { EventType } from '../runs/event-store.ts';
import type { EventLog } from '../runs/ledger.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { systemClock } from '../shared/clock.ts';
import type { Feed } from '../shared/feed.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { Facts } from '../storage/database.ts';

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

interface NotificationParts {
  notifications: Notifications;
  eventLog: EventLog;
}

/** Publishes desktop notifications to clients as well. */
export function publishNotifications({ notifications, eventLog }: NotificationParts): void {
  notifications.feed.subscribe((notification) => {
    const data = eventData.notification(notification);
    eventLog.publish({ type: 'notification', runId: notification.runId, data });
  });
}

interface CatalogueParts {
  catalogue: Catalogue;
  eventLog: EventLog;
  facts: Facts;
  log: Logger;
}

const factName = 'scripts_told';

/**
 * Publishes the changes of a loaded catalogue. Scripts write to their own folders, and each write makes the catalogue reload, so
 * only a visible change becomes an event. The last published state is stored, so that changes made while no service ran
 * are published too.
 */
export function publishCatalogue({ catalogue, eventLog, facts, log }: CatalogueParts): void {
  let publishing: Promise<void> = Promise.resolve();
  const publishChange = async () => {
    const scripts = catalogue.scripts();
    const problems = await catalogue.problems();
    const fingerprint = createHash('sha256').update(JSON.stringify({ scripts, problems })).digest('hex');
    if (facts.get(factName) === fingerprint) return;
    const count = { scripts: scripts.length, problems: problems.length };
    const data = eventData.scripts(count, systemClock.now());
    if (eventLog.publish({ type: 'scripts.changed', runId: null, data }) !== null)
      facts.set(factName, fingerprint);
  };
  const publish = () => {
    // Changes are published one after the other, so that the stored state is always the last one published.
    publishing = publishing.then(publishChange).catch((error: unknown) => {
      log.error({ err: error }, 'cannot publish a change of the scripts');
    });
  };
  catalogue.changed.subscribe(publish);
  publish();
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
