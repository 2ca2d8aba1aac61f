import { useState } from 'react';

import { HobError, isRefused, isUnreachable } from '../api/hob.ts';
import { useReconnected } from '../api/live-events.tsx';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from './button.tsx';
import { Loading } from './loading.tsx';

/** Shows an error with its hint and a retry button. Without `onRetry`, a connection error disappears once the service is back. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const say = useSay();
  const [recovered, setRecovered] = useState<unknown>(null);
  useReconnected(() => setRecovered(error));
  const isAway = isUnreachable(error);
  if (error === recovered && isAway && !onRetry) return null;
  const hint = hintOf(error);
  return (
    <div role="alert" className="rounded-xl border border-line bg-bad-ground p-4">
      <p className="font-medium text-bad">{messageOf(error, say)}</p>
      {hint && <p className="mt-1 text-ink">{hint}</p>}
      {isAway && (
        <p className="mt-1 text-ink">
          {say(
            'If Hob was stopped, start it in a terminal: hob serve',
            '如果服务已停止，请在终端中运行：hob serve',
          )}
        </p>
      )}
      {onRetry && (
        <Button size="small" className="mt-3" onClick={onRetry}>
          {say('Try again', '重试')}
        </Button>
      )}
    </div>
  );
}

/** Shown in place of data that has not arrived: the error of its request, or a loading indicator. */
export function Pending({ error, refetch }: { error: Error | null; refetch: () => unknown }) {
  return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
}

export function messageOf(error: unknown, say: Say): string {
  if (isUnreachable(error)) return say('Hob is not responding', 'Hob 没有响应');
  if (error instanceof HobError && error.code === 'no-message')
    return say(error.message, `Hob 返回了状态码 ${error.status}。`);
  if (error instanceof HobError && error.code === 'not-hob')
    return say(error.message, '响应不是 JSON，因此不是来自 Hob。');
  return error instanceof Error ? error.message : String(error);
}

/** How to fix a refused request; empty for other errors. */
export function hintOf(error: unknown): string {
  return isRefused(error) ? error.hint : '';
}
