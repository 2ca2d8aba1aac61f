import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { useLive } from '../api/live-events.tsx';
import { operationQuery } from '../api/queries.ts';
import type { Operation } from '../api/wire.ts';

const betweenLooksMs = 1000;

export interface Watched {
  /** Null until it is known. */
  readonly operation: Operation | null;
  readonly error: Error | null;
}

/** An operation on a package, as it goes on. An event says that there is news; what it is, is asked for in the person's language. */
export function useOperation(id: string | null): Watched {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const { data, error } = useQuery({
    ...operationQuery(id ?? ''),
    enabled: id !== null,
    // What is told while the first answer is under way is not asked for again.
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? betweenLooksMs : false),
  });
  useEffect(() => {
    if (id === null) return;
    return subscribe(({ type, data: event }) => {
      if (type === 'package.progress' && event.operation_id === id)
        void client.invalidateQueries({ queryKey: operationQuery(id).queryKey });
    });
  }, [id, client, subscribe]);
  return { operation: id === null ? null : (data ?? null), error: id === null ? null : error };
}
