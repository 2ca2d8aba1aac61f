import { useEffect } from 'react';
import type { ServiceEvent } from '../api/follow-events.ts';
import { useLive } from '../api/live-events.tsx';
import { serviceNow } from '../api/service-clock.ts';
import type { Notification } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { useToast } from '../parts/toasts.tsx';

/** A notification in an event, which has all fields but the script id. */
type NotificationNews = Omit<Notification, 'script_id'>;

/** Minimum time for which a notification is new, because the event may arrive late. */
const leastMs = 30_000;

/** Shows new notifications as toasts on every page. */
export function NotificationToasts() {
  const say = useSay();
  const toast = useToast();
  const { subscribe } = useLive();
  useEffect(
    () =>
      subscribe((event) => {
        const news = notificationIn(event);
        if (news === null || !isStillNews(news, serviceNow())) return;
        toast({
          kind: news.notify_type,
          title: news.script_name ?? 'Hob',
          message: news.message,
          durationMs: news.duration,
          link:
            news.run_id === null ? null : { href: `/runs/${news.run_id}`, name: say('View run', '查看运行') },
        });
      }),
    [subscribe, toast, say],
  );
  return null;
}

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
