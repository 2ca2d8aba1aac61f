import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { recordQuery } from './run-query.ts';

const everyMs = 5000;

/**
 * Polls the record of a run while the page is hidden. A hidden page receives no events, but the title of its tab shows the state of the
 * run.
 */
export function usePollWhileHidden(runId: string, isLive: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isLive) return;
    const { queryKey } = recordQuery(runId);
    const look = () => {
      if (document.visibilityState === 'hidden') void client.refetchQueries({ queryKey });
    };
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [client, runId, isLive]);
}
