import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useLive } from '../api/live-events.tsx';
import { type Progress, progressIn } from '../api/progress.ts';
import { runPageKey } from './run-query.ts';

/**
 * How far a run is, from what is told of all runs; and its record is asked for again when that says something else. A page whose terminal
 * listens to the run itself needs no second stream for it: a browser has few connections.
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
