import { useQuery, useQueryClient } from '@tanstack/react-query';
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

import { useLive } from '../api/live-events.tsx';
import { operationsQuery } from '../api/queries.ts';
import type { Operation } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { useToast } from '../parts/toasts.tsx';

const betweenLooksMs = 1000;

interface Operations {
  /** Running and recently ended operations, the newest first. */
  readonly all: readonly Operation[];
  /** Whether the list is being fetched. */
  readonly isAsking: boolean;
  /** Suppresses the toast for an operation that the user is watching, until the returned function is called. */
  readonly watch: (id: string) => () => void;
}

const OperationsContext = createContext<Operations | null>(null);
const none: readonly Operation[] = [];

/** Tracks package operations of all clients across pages, and reports their ends as toasts. */
export function OperationsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const [watched] = useState(() => new Set<string>());
  const { data, isFetching } = useQuery({
    ...operationsQuery,
    // Polls, because an event that arrives during the first fetch does not trigger another one.
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) === true ? betweenLooksMs : false),
  });
  // Events only trigger a refetch, because the service describes operations in the language of the request.
  useEffect(
    () =>
      subscribe(({ type }) => {
        if (type === 'package.progress') void client.invalidateQueries(operationsQuery);
      }),
    [client, subscribe],
  );
  const all = data?.items;
  useEndToasts(all, watched);
  const watch = useCallback(
    (id: string) => {
      watched.add(id);
      return () => void watched.delete(id);
    },
    [watched],
  );
  const value = useMemo(() => ({ all: all ?? none, isAsking: isFetching, watch }), [all, isFetching, watch]);
  return <OperationsContext value={value}>{children}</OperationsContext>;
}

export function useOperations(): Operations {
  const operations = useContext(OperationsContext);
  if (operations === null) throw new Error('there is no OperationsProvider');
  return operations;
}

export function isRunning({ state }: Operation): boolean {
  return state === 'running';
}

/** Shows a toast for each operation that ends unwatched, and refetches the scripts and packages. */
function useEndToasts(all: readonly Operation[] | undefined, watched: ReadonlySet<string>): void {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const told = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (all === undefined) return;
    const ended = all.filter((each) => !isRunning(each));
    const before = told.current;
    told.current = new Set(ended.map(({ operation_id }) => operation_id));
    // Operations that ended before the page was opened are not reported.
    const news = before === null ? [] : ended.filter(({ operation_id }) => !before.has(operation_id));
    if (news.length === 0) return;
    for (const key of ['scripts', 'script', 'packages']) void client.invalidateQueries({ queryKey: [key] });
    for (const { operation_id, state, script_name, source, error } of news) {
      if (watched.has(operation_id) || state === 'cancelled') continue;
      const name = script_name ?? source?.location ?? '';
      if (state === 'done') toast({ kind: 'success', title: say(`${name} is ready`, `${name} 已就绪`) });
      else
        toast({
          kind: 'error',
          title: say(`${name}: operation failed`, `${name}：操作失败`),
          message: error?.message ?? null,
          durationMs: 0,
        });
    }
  }, [all, watched, client, toast, say]);
}
