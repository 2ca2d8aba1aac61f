import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';

export const notificationTypes = ['success', 'error', 'info'] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** A bubble for the person at the desk. */
export interface Notification {
  readonly type: NotificationType;
  /** Null: the bubble shows only who sent it. */
  readonly message: string | null;
  readonly durationMs: number;
  readonly showClose: boolean;
  readonly runId: string | null;
}

/** Takes notifications from scripts and hands them to whoever shows them. */
export class Notifications {
  readonly feed = new Feed<Notification>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  show(notification: Notification): void {
    const { type, message, runId } = notification;
    this.#log.info({ type, message, ...(runId && { run: runId }) }, 'notification');
    this.feed.publish(notification);
  }
}
