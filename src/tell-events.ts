import { createHash } from 'node:crypto';

import { eventData } from './http/events/event-data.ts';
import type { Notifications } from './notifications/notifications.ts';
import type { EventLog } from './runs/events/event-log.ts';
import type { Catalogue } from './scripts/catalogue.ts';
import { systemClock } from './shared/clock.ts';
import type { Logger } from './shared/log.ts';
import type { Facts } from './storage/facts.ts';

interface NotificationParts {
  notifications: Notifications;
  eventLog: EventLog;
}

/** What is shown to the person at the desk is told to clients, too. */
export function tellNotifications({ notifications, eventLog }: NotificationParts): void {
  notifications.feed.subscribe((notification) => {
    const data = eventData.notification(notification);
    eventLog.tell({ type: 'notification', runId: notification.runId, data });
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
 * Scripts write to their own folders, and the catalogue looks again each time. Only what can be seen from outside is worth an
 * event; what was told last is remembered, so that it is also told what changed while no service was there.
 */
export function tellCatalogue({ catalogue, eventLog, facts, log }: CatalogueParts): void {
  let telling: Promise<void> = Promise.resolve();
  const tell = async () => {
    const scripts = catalogue.scripts();
    const problems = await catalogue.problems();
    const seen = createHash('sha256').update(JSON.stringify({ scripts, problems })).digest('hex');
    if (facts.get(factName) === seen) return;
    const count = { scripts: scripts.length, problems: problems.length };
    const data = eventData.scripts(count, systemClock.now());
    if (eventLog.tell({ type: 'scripts.changed', runId: null, data }) !== null) facts.set(factName, seen);
  };
  catalogue.changed.subscribe(() => {
    // One after the other, so that the last one told is the last one seen.
    telling = telling.then(tell).catch((error: unknown) => {
      log.error({ err: error }, 'cannot publish a change of the scripts');
    });
  });
}
