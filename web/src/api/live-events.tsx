import { type Query, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

import { RefusedError } from './call-service.ts';
import type { ServiceEvent } from './event-frames.ts';
import { followEvents } from './follow-events.ts';

export type Reach = 'connecting' | 'connected' | 'lost' | 'locked';
type Hear = (event: ServiceEvent) => void;

interface Live {
  readonly reach: Reach;
  /** Whether it could be reached since the page was opened. */
  readonly wasReached: boolean;
  /** Has everything that happens told to somebody, until what is returned is called. */
  readonly subscribe: (hear: Hear) => () => void;
}

const LiveContext = createContext<Live | null>(null);

/** Which answers are out of date after what has happened. */
const staleAfter: Readonly<Record<string, readonly string[]>> = {
  'run.queued': ['runs', 'health', 'outcomes'],
  'run.started': ['runs', 'health', 'outcomes', 'terminal'],
  'run.ended': ['runs', 'health', 'stats', 'outcomes'],
  'scripts.changed': ['scripts', 'script', 'packages', 'models', 'environments', 'runtimes'],
  notification: ['notifications'],
  // Too much has happened to be told one by one.
  'events.missed': ['run-list', 'notifications'],
};
/** Runs come in floods, and what is shown of them need not. */
const refreshEveryMs = 400;

/** Keeps what is shown true to what happens, and knows whether the service can be reached. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [reach, setReach] = useState<Reach>('connecting');
  const [wasReached, setWasReached] = useState(false);
  const hearers = useRef(new Set<Hear>());

  useEffect(() => {
    const ending = new AbortController();
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer = undefined;
      for (const key of stale) void client.invalidateQueries({ queryKey: [key] });
      stale.clear();
    };
    const listener = {
      onEvent(event: ServiceEvent) {
        for (const hear of hearers.current) hear(event);
        // The service does not keep what a slow listener has yet to hear for ever.
        if (event.type === 'events.missed') void client.invalidateQueries();
        for (const key of staleAfter[event.type] ?? []) stale.add(key);
        if (stale.size > 0) timer ??= setTimeout(refresh, refreshEveryMs);
      },
      onOpen() {
        setReach('connected');
        setWasReached(true);
        // Whatever was missed until now, the first time as well: something may have happened after it was asked for.
        void client.invalidateQueries({ predicate: (query) => !isLongList(query) });
      },
      onCutOff(error: unknown) {
        setReach(error instanceof RefusedError && error.needsToken ? 'locked' : 'lost');
      },
    };
    void followEvents('/api/events', listener, { signal: ending.signal });
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [client]);

  const subscribe = useCallback((hear: Hear) => {
    hearers.current.add(hear);
    return () => void hearers.current.delete(hear);
  }, []);
  const live = useMemo(() => ({ reach, wasReached, subscribe }), [reach, wasReached, subscribe]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** To ask for all of a long list again takes long. The events go on where they were cut off, and tell what was missed of it. */
function isLongList({ state: { data } }: Query): boolean {
  return (
    typeof data === 'object' &&
    data !== null &&
    'pages' in data &&
    Array.isArray(data.pages) &&
    data.pages.length > 1
  );
}

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('there is no LiveProvider');
  return live;
}

/** Calls what is given when the service is there again after it was not. */
export function useBackAgain(onBack: () => void): void {
  const { reach } = useLive();
  const latest = useRef(onBack);
  const wasAway = useRef(false);
  useEffect(() => {
    latest.current = onBack;
  });
  useEffect(() => {
    if (reach === 'connected' && wasAway.current) latest.current();
    wasAway.current = reach !== 'connected';
  }, [reach]);
}
