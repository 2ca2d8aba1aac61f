import { useEffect } from 'react';

import { useLive } from '../api/live-events.tsx';
import { serviceNow } from '../api/service-clock.ts';
import { useSay } from '../language/language.tsx';
import { useToast } from '../parts/toasts.tsx';
import { isStillNews, notificationIn } from './notification-news.ts';

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
