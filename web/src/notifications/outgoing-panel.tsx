import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Send } from 'lucide-react';

import { hob } from '../api/hob.ts';
import { outgoingQuery } from '../api/queries.ts';
import type { DeliveryAttempt, OutgoingNotifications } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code.tsx';
import { hintOf, messageOf } from '../parts/failure.tsx';
import { durationText } from '../parts/format.ts';
import { Ago } from '../parts/time.tsx';

/** No event reports a delivery, so the page polls. */
const lookAgainMs = 5000;

/** The URL to which notifications are also sent, and a button to try it. Renders nothing until the service has answered. */
export function OutgoingPanel() {
  const { data } = useQuery({ ...outgoingQuery, refetchInterval: lookAgainMs });
  if (data === undefined) return null;
  return (
    <section className="mb-4 rounded-xl border border-line bg-surface px-4 py-3">
      {data.origin === null ? <NotSet /> : <Target outgoing={data} origin={data.origin} />}
    </section>
  );
}

function NotSet() {
  const say = useSay();
  return (
    <p className="text-[13px] text-muted">
      <CodeText
        text={say(
          'To also get notifications on your phone or in another program, set `notify_url` in `settings.toml`.',
          '如需在手机或其他程序中接收通知，请在 `settings.toml` 中设置 `notify_url`。',
        )}
      />
    </p>
  );
}

function Target({ outgoing, origin }: { outgoing: OutgoingNotifications; origin: string }) {
  const say = useSay();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => hob.request<DeliveryAttempt>('POST', '/api/notifications/test', { body: {} }),
    onSettled: () => client.invalidateQueries({ queryKey: outgoingQuery.queryKey }),
  });
  const { send, waiting, last } = outgoing;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="min-w-0 grow basis-80">
        <p className="break-words">
          {send === 'all'
            ? say('All notifications are also sent to ', '全部通知也会发送到 ')
            : say('Errors are also sent to ', '错误通知也会发送到 ')}
          <span className="font-medium">{origin}</span>
        </p>
        <output className="block text-[13px] text-muted">
          {test.isPending ? (
            say('Sending a test …', '正在发送测试……')
          ) : test.error !== null ? (
            <Trouble problem={messageOf(test.error, say)} hint={hintOf(test.error)} />
          ) : (
            <LastAttempt last={last} isTest={test.data !== undefined && test.data.at === last?.at} />
          )}
        </output>
        {waiting > 0 && (
          <p className="text-[13px] text-muted">
            {say(`${waiting} waiting to be sent`, `${waiting} 条等待发送`)}
          </p>
        )}
      </div>
      <Button isBusy={test.isPending} onClick={() => test.mutate()}>
        <Send size={16} aria-hidden />
        {say('Send a test', '发送测试')}
      </Button>
    </div>
  );
}

function LastAttempt({ last, isTest }: { last: DeliveryAttempt | null; isTest: boolean }) {
  const say = useSay();
  if (last === null) return say('None has been sent since Hob started.', 'Hob 启动以来还没有发送过。');
  const { at, delivered, http_status, duration_ms, problem, hint } = last;
  if (!delivered) return <Trouble problem={problem ?? ''} hint={hint ?? ''} />;
  const took = durationText(duration_ms);
  return (
    <span className="flex items-center gap-1.5">
      <CircleCheck size={14} aria-hidden className="shrink-0 text-good" />
      <span>
        {isTest
          ? say(
              `The test was delivered: status ${http_status} after ${took}`,
              `测试已送达：状态码 ${http_status}，用时 ${took}`,
            )
          : say('The last one was delivered ', '最近一条已送达，')}
        {!isTest && <Ago time={at} />}
      </span>
    </span>
  );
}

function Trouble({ problem, hint }: { problem: string; hint: string }) {
  return (
    <span className="flex items-start gap-1.5">
      <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <span className="min-w-0 break-words">
        <span className="text-bad">{problem}</span>
        {hint && <span className="block">{hint}</span>}
      </span>
    </span>
  );
}
