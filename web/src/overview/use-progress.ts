import { useEffect, useState } from 'react';

import { useLive } from '../api/live-events.tsx';
import { type Progress, progressIn } from '../api/progress.ts';

/** The latest reported progress by run id. Progress reported before the page was opened is not included. */
export function useProgress(): ReadonlyMap<string, Progress> {
  const { subscribe } = useLive();
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  useEffect(
    () =>
      subscribe((event) => {
        const { run_id } = event.data;
        if (typeof run_id !== 'string') return;
        const progress = progressIn(event);
        if (progress !== null) setKnown((all) => new Map(all).set(run_id, progress));
        if (event.type === 'run.ended') setKnown((all) => without(all, run_id));
      }),
    [subscribe],
  );
  return known;
}

function without(all: ReadonlyMap<string, Progress>, runId: string): ReadonlyMap<string, Progress> {
  if (!all.has(runId)) return all;
  return new Map([...all].filter(([id]) => id !== runId));
}
