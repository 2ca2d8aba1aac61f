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
import { followEvents } from './follow-events.ts';
import { needsToken } from './hob.ts';
import type { ServiceEvent } from './wire.ts';

export type Connection = 'connecting' | 'connected' | 'lost' | 'locked';
type Listener = (event: ServiceEvent) => void;

interface Live {
  readonly connection: Connection;
  /** Whether the service was connected at least once since the page was opened. */
  readonly wasConnected: boolean;
  /** Calls the listener with every event. Returns the function that unsubscribes it. */
  readonly subscribe: (listener: Listener) => () => void;
}

const LiveContext = createContext<Live | null>(null);

/** The query keys to invalidate after each type of event. */
const staleAfter: Readonly<Partial<Record<ServiceEvent['type'], readonly string[]>>> = {
  'run.queued': ['runs', 'health', 'outcomes', 'triggers'],
  'run.started': ['runs', 'health', 'outcomes', 'terminal'],
  'run.ended': ['runs', 'health', 'stats', 'outcomes'],
  'scripts.changed': [
    'scripts',
    'script',
    'packages',
    'models',
    'environments',
    'runtimes',
    'triggers',
    'agents',
  ],
  'agents.changed': ['agents'],
  notification: ['notifications'],
  // The service dropped events for this listener. All other queries are invalidated where the event is handled.
  'events.missed': ['run-list', 'notifications'],
};
/** Batches invalidations, because runs can start and end in large numbers. */
const refreshEveryMs = 400;

/** Invalidates queries when events arrive, and tracks the connection to the service. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [wasConnected, setWasConnected] = useState(false);
  const listeners = useRef(new Set<Listener>());

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
        for (const listener of listeners.current) listener(event);
        // The service drops events of a slow listener, so anything may be out of date.
        if (event.type === 'events.missed') void client.invalidateQueries();
        for (const key of staleAfter[event.type] ?? []) stale.add(key);
        if (stale.size > 0) timer ??= setTimeout(refresh, refreshEveryMs);
      },
      onOpen() {
        setConnection('connected');
        setWasConnected(true);
        // Events may have been missed while disconnected. On the first connection, data may have changed since it was fetched.
        void client.invalidateQueries({ predicate: (query) => !isLongList(query) });
      },
      onCutOff(error: unknown) {
        setConnection(needsToken(error) ? 'locked' : 'lost');
      },
    };
    void followEvents('/api/events', listener, ending.signal);
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [client]);

  const subscribe = useCallback((listener: Listener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  }, []);
  const live = useMemo(
    () => ({ connection, wasConnected, subscribe }),
    [connection, wasConnected, subscribe],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** Refetching all pages of a long list is slow. The event stream resumes where it broke, so the list learns of missed runs from it. */
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

/** Calls back when the service is connected again after a loss. */
export function useReconnected(onBack: () => void): void {
  const { connection } = useLive();
  const latest = useRef(onBack);
  const wasAway = useRef(false);
  useEffect(() => {
    latest.current = onBack;
  });
  useEffect(() => {
    if (connection === 'connected' && wasAway.current) latest.current();
    wasAway.current = connection !== 'connected';
  }, [connection]);
}
