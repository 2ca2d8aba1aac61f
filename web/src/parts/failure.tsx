import { useState } from 'react';

import { RefusedError, UnreachableError } from '../api/call-service.ts';
import { useReconnected } from '../api/live-events.tsx';
import { useSay } from '../language/language.tsx';
import { Button } from './button.tsx';
import { Loading } from './loading.tsx';

/** Shows an error with its hint and a retry button. Without `onRetry`, a connection error disappears once the service is back. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const say = useSay();
  const [recovered, setRecovered] = useState<unknown>(null);
  useReconnected(() => setRecovered(error));
  const isUnreachable = error instanceof UnreachableError;
  if (error === recovered && isUnreachable && !onRetry) return null;
  const message = isUnreachable ? say('Hob is not responding', 'Hob 没有响应') : messageOf(error);
  return (
    <div role="alert" className="rounded-xl border border-line bg-bad-ground p-4">
      <p className="font-medium text-bad">{message}</p>
      {error instanceof RefusedError && error.hint && <p className="mt-1 text-ink">{error.hint}</p>}
      {isUnreachable && (
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
