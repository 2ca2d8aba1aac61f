import { useEffect, useState } from 'react';

import type { ServiceEvent } from '../api/event-frames.ts';
import { useLive } from '../api/live-events.tsx';

export interface Progress {
  /** From 0 to 1; null: nobody knows how much there is to do. */
  readonly fraction: number | null;
  readonly message: string | null;
}

/** What runs have last said of how far they are, from the time on that somebody looks. */
export function useProgress(): ReadonlyMap<string, Progress> {
  const { subscribe } = useLive();
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  useEffect(
    () =>
      subscribe((event) => {
        const { run_id } = event.data;
        if (typeof run_id !== 'string') return;
        if (event.type === 'run.progress') setKnown((all) => new Map(all).set(run_id, progressIn(event)));
        if (event.type === 'run.ended') setKnown((all) => without(all, run_id));
      }),
    [subscribe],
  );
  return known;
}

function progressIn({ data: { fraction, message } }: ServiceEvent): Progress {
  return {
    fraction: typeof fraction === 'number' ? fraction : null,
    message: typeof message === 'string' ? message : null,
  };
}

function without(all: ReadonlyMap<string, Progress>, runId: string): ReadonlyMap<string, Progress> {
  if (!all.has(runId)) return all;
  return new Map([...all].filter(([id]) => id !== runId));
}
