import { Link } from 'wouter';

import type { Notification } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { kindLooks } from '../parts/kind-looks.ts';
import { Ago } from '../parts/time.tsx';

export function NotificationItem({ notification }: { notification: Notification }) {
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
