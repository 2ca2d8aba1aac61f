import { randomUUID } from 'node:crypto';

import type { Clock } from '../shared/clock.ts';
import { cutMessage } from '../shared/cut-message.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type {
  KeptNotification,
  NotificationPage,
  NotificationStore,
  NotificationType,
} from './notification-store.ts';

export { type NotificationType, notificationTypes } from './notification-store.ts';

/** A notification for the person at the desk. */
export interface Notification extends KeptNotification {
  /** Where a click on it leads; null: nowhere. */
  readonly address: string | null;
}

/** What whoever sends a notification knows of it. */
export interface SentNotification {
  readonly type: NotificationType;
  readonly message: string | null;
  readonly durationMs: number;
  readonly showClose: boolean;
  /** The run that it is about, if any. */
  readonly run: { readonly runId: string; readonly scriptId: string; readonly scriptName: string } | null;
}

interface NotificationsOptions {
  store: NotificationStore;
  clock: Clock;
  log: Logger;
  /** Where a run can be looked at. */
  addressOf: (runId: string) => string | null;
}

/** More than anybody reads, and few enough to be looked through. */
export const keptNotifications = 200;

/** Takes notifications, keeps the latest, and hands them to whoever shows them. */
export class Notifications {
  readonly feed = new Feed<Notification>();
  readonly #options: NotificationsOptions;
  #isKeeping = true;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /** Never throws for what it cannot keep: that it is shown matters more. */
  show({ type, message, durationMs, showClose, run }: SentNotification): void {
    const { clock, log, addressOf } = this.#options;
    const kept: KeptNotification = {
      id: randomUUID(),
      type,
      // Here and nowhere else, so that list, events and bubbles say the same.
      message: message === null ? null : cutMessage(message),
      durationMs,
      showClose,
      runId: run?.runId ?? null,
      scriptId: run?.scriptId ?? null,
      scriptName: run?.scriptName ?? null,
      at: clock.now().toISOString(),
    };
    this.#keep(kept);
    // In full: where there is no desktop, this is where it can be read.
    log.info({ type, message, ...(run && { run: run.runId }) }, 'notification');
    this.feed.publish({ ...kept, address: run && addressOf(run.runId) });
  }

  /** The latest that were kept. */
  page(query: { after: number | null; limit: number }): NotificationPage {
    return this.#options.store.page(query);
  }

  #keep(notification: KeptNotification): void {
    const { store, log } = this.#options;
    try {
      store.add(notification, keptNotifications);
      this.#isKeeping = true;
    } catch (error) {
      // Once, until it works again: a full disk is not helped by a line for every notification.
      if (this.#isKeeping) log.warn({ err: error }, 'cannot store notifications; they are only shown');
      this.#isKeeping = false;
    }
  }
}
