import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { recordQuery } from './run-query.ts';

const everyMs = 5000;

/**
 * Asks for the record of a run now and then while nobody sees the page: it does not listen then, and its tab, which is all that is seen of
 * it, is to tell the end.
 */
export function useLookWhileHidden(runId: string, isLive: boolean): void {
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
