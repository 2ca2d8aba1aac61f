import { createHash } from 'node:crypto';

import { eventData } from '../http/events/event-data.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { EventLog } from '../runs/events/event-log.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import type { Facts } from '../storage/facts.ts';

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
 * Publishes changes of the catalogue. Scripts write to their own folders, and each write makes the catalogue reload, so
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
  catalogue.changed.subscribe(() => {
    // Changes are published one after the other, so that the stored state is always the last one published.
    publishing = publishing.then(publishChange).catch((error: unknown) => {
      log.error({ err: error }, 'cannot publish a change of the scripts');
    });
  });
}
