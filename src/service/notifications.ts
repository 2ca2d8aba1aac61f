import { Bubbles } from '../notifications/bubbles.ts';
import type { Desktop } from '../notifications/desktop/desktop.ts';
import { openDesktop } from '../notifications/desktop/open-desktop.ts';
import { Notifications } from '../notifications/notifications.ts';
import type { EventLog } from '../runs/events/event-log.ts';
import type { RunService } from '../runs/run-service.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { userLanguage } from '../settings/user-language.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import type { Database } from '../storage/database.ts';
import { SqliteNotificationStore } from '../storage/sqlite-notification-store.ts';
import { notifyRunEnds } from './notify-run-ends.ts';
import { publishNotifications } from './publish-events.ts';

interface NotificationParts {
  database: Database;
  eventLog: EventLog;
  runs: RunService;
  catalogue: Catalogue;
  settings: LoadedSettings;
  log: Logger;
  /** The address on which the service listens; undefined before it listens. */
  url: () => string | undefined;
}

interface ComposedNotifications {
  notifications: Notifications;
  desktop: Desktop;
  close(): Promise<void>;
}

/** Builds the notifications, and connects them with their senders, with the desktop and with the event log. */
export function composeNotifications(parts: NotificationParts): ComposedNotifications {
  const { database, eventLog, runs, catalogue, settings, log, url } = parts;
  const { environment } = settings;
  const language = userLanguage(environment);
  const desktopLog = log.child({ part: 'desktop' });
  const desktop = openDesktop({ platform: process.platform, environment, language, log: desktopLog });
  const bubbles = new Bubbles({ desktop, language, log: desktopLog });
  const notifications = new Notifications({
    store: new SqliteNotificationStore(database),
    clock: systemClock,
    log,
    addressOf(runId) {
      const service = url();
      return service === undefined ? null : `${service}/runs/${runId}`;
    },
  });
  notifications.feed.subscribe(({ scriptName, ...rest }) => {
    bubbles.show({ ...rest, title: scriptName ?? 'Hob' });
  });
  publishNotifications({ notifications, eventLog });
  notifyRunEnds({
    events: runs.events,
    notifications,
    findScript: (id) => catalogue.find(id),
    language,
  });
  return {
    notifications,
    desktop,
    async close() {
      bubbles.close();
      await desktop.close();
    },
  };
}
