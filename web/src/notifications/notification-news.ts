import type { ServiceEvent } from '../api/event-frames.ts';
import type { Notification } from '../api/wire.ts';

/** A notification in an event, which has all fields but the script id. */
export type NotificationNews = Omit<Notification, 'script_id'>;

/** Minimum time for which a notification is new, because the event may arrive late. */
const leastMs = 30_000;

export function notificationIn({ type, data }: ServiceEvent): NotificationNews | null {
  return type === 'notification' && isNotification(data) ? data : null;
}

/**
 * A hidden page receives all missed events when it becomes visible. Notifications whose time is over are not shown then; the list has
 * them.
 */
export function isStillNews({ at, duration }: NotificationNews, nowMs: number): boolean {
  return duration === 0 || nowMs - Date.parse(at) < Math.max(duration, leastMs);
}

/** The service validates its events by schema, so checking two fields is enough. */
function isNotification(data: unknown): data is NotificationNews {
  return typeof data === 'object' && data !== null && 'notification_id' in data && 'notify_type' in data;
}
