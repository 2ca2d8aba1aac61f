import { randomUUID } from 'node:crypto';

import type { NotificationType } from '../contract/values.ts';
import type { Clock } from '../shared/clock.ts';
import { cutMessage } from '../shared/cut-message.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type {
  KeptNotification,
  NotificationPage,
  NotificationStore,
  NotifiedEnd,
} from './notification-store.ts';

export interface Notification extends KeptNotification {
  readonly address: string | null;
  /** The page of the console that shows the same. */
  readonly page?: string;
}

export interface SentNotification {
  readonly type: NotificationType;
  readonly message: string | null;
  readonly durationMs: number;
  readonly showClose: boolean;
  /** The run that it is about, or null. */
  readonly run: { readonly runId: string; readonly scriptId: string; readonly scriptName: string } | null;
  /** The page of the console that it is about, such as `/agents`. Absent: the page of the run. */
  readonly page?: string;
  /** How that run ended, if the notification reports its end. */
  readonly end?: NotifiedEnd;
}

interface NotificationsOptions {
  store: NotificationStore;
  clock: Clock;
  log: Logger;
  /** The address of a page of the console. */
  addressOf: (page: string) => string | null;
  /** Whether a notification must be sent to the URL of the user. */
  isOutgoing: (notification: KeptNotification) => boolean;
}

export const keptNotifications = 200;

/** Stores the latest notifications, and passes them on to the desktop. */
export class Notifications {
  readonly feed = new Feed<Notification>();
  readonly #options: NotificationsOptions;
  #isKeeping = true;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /** Does not throw if storing fails: showing the notification is more important. */
  show({ type, message, durationMs, showClose, run, end, page }: SentNotification): void {
    const { clock, log, addressOf } = this.#options;
    const kept: KeptNotification = {
      id: randomUUID(),
      type,
      // Truncate in one place, so that list, events and bubbles show the same text.
      message: message === null ? null : cutMessage(message),
      durationMs,
      showClose,
      runId: run?.runId ?? null,
      scriptId: run?.scriptId ?? null,
      scriptName: run?.scriptName ?? null,
      end: end ?? null,
      at: clock.now().toISOString(),
    };
    this.#keep(kept);
    // Log the full text: without a desktop, the log is the place to read it.
    log.info({ type, message, ...(run && { run: run.runId }) }, 'notification');
    const shown = page ?? (run && `/runs/${run.runId}`);
    this.feed.publish({ ...kept, address: shown && addressOf(shown), ...(page !== undefined && { page }) });
  }

  page(query: { after: number | null; limit: number }): NotificationPage {
    return this.#options.store.page(query);
  }

  #keep(notification: KeptNotification): void {
    const { store, log, isOutgoing } = this.#options;
    try {
      store.add(notification, { keep: keptNotifications, isUnsent: isOutgoing(notification) });
      this.#isKeeping = true;
    } catch (error) {
      // Log once until it works again: a full disk needs no log line per notification.
      if (this.#isKeeping) log.warn({ err: error }, 'cannot store notifications; they are only shown');
      this.#isKeeping = false;
    }
  }
}
