import type { ServiceEvent } from '../api/event-frames.ts';
import type { Notification } from '../api/wire.ts';

/** What an event tells of a notification: all but the id of the script. */
export type NotificationNews = Omit<Notification, 'script_id'>;

/** For so long it is news, however short it is to be shown: it may have taken a while to get here. */
const leastMs = 30_000;

export function notificationIn({ type, data }: ServiceEvent): NotificationNews | null {
  return type === 'notification' && isNotification(data) ? data : null;
}

/**
 * A page that nobody looked at hears of all that happened meanwhile when it is looked at again. What would be gone by then need not come up;
 * it is in the list.
 */
export function isStillNews({ at, duration }: NotificationNews, nowMs: number): boolean {
  return duration === 0 || nowMs - Date.parse(at) < Math.max(duration, leastMs);
}

/** The service tells of one by its schema; one look is enough to know that it is one. */
function isNotification(data: unknown): data is NotificationNews {
  return typeof data === 'object' && data !== null && 'notification_id' in data && 'notify_type' in data;
}
