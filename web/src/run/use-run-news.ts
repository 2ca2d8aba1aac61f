import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useLive } from '../api/live-events.tsx';
import { type Progress, progressIn } from '../api/progress.ts';
import { runPageKey } from './run-query.ts';

/**
 * The progress of a run from the global event stream. Also refetches its record when it starts or ends. A page with a terminal then needs no
 * second stream for the run, because browsers allow few connections.
 */
export function useRunNews(runId: string): Progress | null {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const [progress, setProgress] = useState<Progress | null>(null);
  useEffect(
    () =>
      subscribe((event) => {
        const { type, data } = event;
        if (data.run_id !== runId) return;
        const told = progressIn(event);
        if (told !== null) setProgress(told);
        if (type === 'run.started' || type === 'run.ended')
          void client.invalidateQueries({ queryKey: [runPageKey, runId] });
      }),
    [client, subscribe, runId],
  );
  return progress;
}
