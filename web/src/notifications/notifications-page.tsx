import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { getJson } from '../api/hob.ts';
import type { Notification, NotificationPage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Ago } from '../parts/time.tsx';
import { kindLooks } from '../parts/toasts.tsx';
import { OutgoingPanel } from './outgoing-panel.tsx';

const firstPage: string | null = null;

export function NotificationsPage() {
  const say = useSay();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['notifications'],
    queryFn: ({ pageParam, signal }) =>
      getJson<NotificationPage>(
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
      <OutgoingPanel />
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
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

function NotificationItem({ notification }: { notification: Notification }) {
  const say = useSay();
  const { notify_type, message, run_id, script_id, script_name, at } = notification;
  const { icon: Icon, ink } = kindLooks[notify_type];
  const names = {
    success: say('Success', '成功'),
    error: say('Error', '错误'),
    info: say('Info', '信息'),
  };
  return (
    <li className="flex gap-3 border-b border-line px-4 py-3 [contain-intrinsic-size:auto_4rem] [content-visibility:auto] last:border-b-0">
      <Icon
        size={18}
        role="img"
        aria-label={names[notify_type]}
        className={classes('mt-0.5 shrink-0', ink)}
      />
      <div className="min-w-0 grow">
        <div className="flex items-baseline gap-3">
          {script_id === null ? (
            <span className="font-medium">{say('External program', '外部发送')}</span>
          ) : (
            <Link
              href={`/scripts/${script_id}`}
              className="min-w-0 truncate font-medium hover:underline"
              title={script_name ?? undefined}
            >
              {script_name}
            </Link>
          )}
          <span className="ml-auto text-xs text-muted">
            <Ago time={at} />
          </span>
        </div>
        {message === null ? (
          <p className="text-muted italic">{say('No message', '没有消息内容')}</p>
        ) : (
          <p className="break-words whitespace-pre-wrap text-muted">{message}</p>
        )}
        {run_id !== null && (
          <Link href={`/runs/${run_id}`} className="text-[13px] text-accent hover:underline">
            {say('View run', '查看运行')}
          </Link>
        )}
      </div>
    </li>
  );
}
