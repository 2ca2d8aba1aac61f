import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';

import { callService } from '../api/call-service.ts';
import { useLive } from '../api/live-events.tsx';
import { runIn } from '../api/run-events.ts';
import type { BriefRun, RunPage } from '../api/wire.ts';
import { withChanges, withFirstPage, withRuns } from './live-pages.ts';
import { fits, queryOf, type RunFilters, writeFilters } from './run-filters.ts';

/** How long a record from an event overrides fetched records, which may be older. */
const heldMs = 5000;

/** Run records from recent events. Each new record removes expired ones, so that memory stays bounded. */
export class RecentRuns {
  /** In order of arrival. */
  readonly #records = new Map<string, { readonly run: BriefRun; readonly atMs: number }>();

  get size(): number {
    return this.#records.size;
  }

  add(run: BriefRun, nowMs: number): void {
    this.#records.delete(run.run_id);
    this.#records.set(run.run_id, { run, atMs: nowMs });
    this.#drop(nowMs);
  }

  /** The current records by run id. */
  current(nowMs: number): Map<string, BriefRun> {
    this.#drop(nowMs);
    return new Map([...this.#records].map(([id, { run }]) => [id, run]));
  }

  #drop(nowMs: number): void {
    for (const [id, { atMs }] of this.#records) {
      if (atMs >= nowMs - heldMs) return;
      this.#records.delete(id);
    }
  }
}

const pageRuns = 100;
/** Batches events, because runs can start and end in large numbers. */
const batchMs = 200;
/** When the first page has grown by this many runs, it is refetched, so that it does not grow without limit. */
const mostAdded = 200;

/** The matching runs in pages, updated by events. */
export function useLiveRuns(filters: RunFilters) {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const [recent] = useState(() => new RecentRuns());
  const address = writeFilters(filters);
  const queryKey = useMemo(() => ['run-list', address], [address]);
  const isWanted = useMemo(() => (run: BriefRun) => fits(run, filters, new Date()), [filters]);

  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const page = await askPage(filters, pageParam, signal);
      const news = recent.current(Date.now());
      if (pageParam !== null) return withChanges(page, news, isWanted);
      return withRuns([page], [...news.values()], isWanted)[0] ?? page;
    },
    initialPageParam: startOfList,
    getNextPageParam: ({ next }) => next,
    // Keep showing the previous runs until the new ones arrive.
    placeholderData: keepPreviousData,
    staleTime: 0,
    // A long list is updated from its first page, see the effect below.
    refetchOnMount: ({ state: { data } }) => data === undefined || data.pages.length === 1,
    refetchOnWindowFocus: false,
  });

  useEffect(() => {
    const pages = client.getQueryData<LoadedPages>(queryKey)?.pages ?? [];
    if (pages.length < 2) return;
    const ending = new AbortController();
    askPage(filters, null, ending.signal)
      .then((first) => {
        const old = client.getQueryData<LoadedPages>(queryKey);
        const merged = old === undefined ? null : withFirstPage(old.pages, first, isWanted);
        if (old === undefined || merged === null) void client.invalidateQueries({ queryKey });
        else client.setQueryData<LoadedPages>(queryKey, { ...old, pages: [...merged] });
      })
      // Refetch the list, which shows the error if it fails too.
      .catch(() => {
        if (!ending.signal.aborted) void client.invalidateQueries({ queryKey });
      });
    return () => ending.abort();
  }, [client, queryKey, filters, isWanted]);

  useEffect(() => {
    let batch: BriefRun[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const apply = () => {
      timer = undefined;
      const news = batch;
      batch = [];
      const data = client.setQueryData<LoadedPages>(
        queryKey,
        (old) => old && { ...old, pages: withRuns(old.pages, news, isWanted) },
      );
      if ((data?.pages[0]?.items.length ?? 0) > pageRuns + mostAdded)
        void client.invalidateQueries({ queryKey });
    };
    const unsubscribe = subscribe((event) => {
      const run = runIn(event);
      if (run === null) return;
      recent.add(run, Date.now());
      batch.push(run);
      timer ??= setTimeout(apply, batchMs);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [client, queryKey, isWanted, subscribe, recent]);

  return list;
}

type LoadedPages = InfiniteData<RunPage, string | null>;

const startOfList: string | null = null;

function askPage(filters: RunFilters, cursor: string | null, signal: AbortSignal): Promise<RunPage> {
  const query = new URLSearchParams(queryOf(filters, new Date()));
  query.set('limit', String(pageRuns));
  if (cursor !== null) query.set('cursor', cursor);
  return callService<RunPage>(`/api/runs?${query}`, { signal });
}
