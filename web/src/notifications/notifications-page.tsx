import { useInfiniteQuery } from '@tanstack/react-query';

import { callService } from '../api/call-service.ts';
import type { NotificationPage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { NotificationItem } from './notification-item.tsx';

const firstPage: string | null = null;

export function NotificationsPage() {
  const say = useSay();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['notifications'],
    queryFn: ({ pageParam, signal }) =>
      callService<NotificationPage>(
        pageParam === null
          ? '/api/notifications'
          : `/api/notifications?cursor=${encodeURIComponent(pageParam)}`,
        { signal },
      ),
    initialPageParam: firstPage,
    getNextPageParam: ({ next }) => next,
  });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageTitle title={say('Notifications', '通知')} />
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : items.length === 0 ? (
        <NothingYet />
      ) : (
        <>
          <ul className="overflow-hidden rounded-xl border border-line bg-surface">
            {items.map((notification) => (
              <NotificationItem key={notification.notification_id} notification={notification} />
            ))}
          </ul>
          {hasNextPage && (
            <div className="flex justify-center py-5">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {say('Show older notifications', '显示更早的通知')}
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}

function NothingYet() {
  const say = useSay();
  return (
    <Empty title={say('No notifications yet', '还没有通知')}>
      {say('Messages that scripts send to ', '脚本发送到 ')}
      <code className="font-mono text-ink">/api/notify</code>
      {say(
        ' appear in the corner of the page and are listed here. To be notified when a script fails, set ',
        ' 的消息会在页面角落弹出，并保留在这里。在清单中设置 ',
      )}
      <code className="font-mono text-ink">notify_on = "failure"</code>
      {say(' in its manifest.', ' 的脚本，运行失败时会自动通知。')}
    </Empty>
  );
}
