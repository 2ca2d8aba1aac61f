import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { runPageKey } from '../run-query.ts';
import { RunStream, type StreamSnapshot } from './run-stream.ts';

/** Follows the output of a run from its start while `isWanted` is true. */
export function useRunStream(runId: string, isWanted: boolean): StreamSnapshot {
  const client = useQueryClient();
  const [stream, setStream] = useState(() => new RunStream());
  useEffect(() => {
    if (!isWanted) return;
    const ending = new AbortController();
    const followed = new RunStream();
    setStream(followed);
    const onChange = () => void client.invalidateQueries({ queryKey: [runPageKey, runId] });
    void followed.follow(runId, onChange, ending.signal);
    return () => ending.abort();
  }, [client, runId, isWanted]);
  return useSyncExternalStore(stream.subscribe, stream.current);
}
