import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { getJson } from '../api/hob.ts';
import { useLive } from '../api/live-events.tsx';
import { statsQuery } from '../api/queries.ts';
import { runIn } from '../api/run-events.ts';
import type { BriefRun, RunPage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { useCountText } from '../parts/format.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { FilterBar } from './filter-bar.tsx';
import { fits, isFiltered, queryOf, type RunFilters, readFilters, writeFilters } from './run-filters.ts';
import { RunList } from './run-list.tsx';

export function RunsPage() {
  const say = useSay();
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => readFilters(new URLSearchParams(search)), [search]);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } =
    useLiveRuns(filters);
  const change = useCallback(
    (some: Partial<RunFilters>, { isTyping } = { isTyping: false }) => {
      const address = writeFilters({ ...filters, ...some });
      navigate(address === '' ? '/runs' : `/runs?${address}`, { replace: isTyping });
    },
    [filters, navigate],
  );
  const clear = () => navigate('/runs');
  const showMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const isEmpty = data?.pages.every(({ items }) => items.length === 0) === true && !hasNextPage;
  return (
    <>
      <PageTitle title={say('Runs', '运行记录')}>
        {isFiltered(filters) ? (
          <Fitting runs={isPlaceholderData ? 0 : countIn(data?.pages ?? [])} hasMore={hasNextPage} />
        ) : (
          <OnRecord />
        )}
      </PageTitle>
      <FilterBar filters={filters} onChange={change} onClear={clear} />
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : isEmpty ? (
        <NothingFound isSearch={isFiltered(filters)} onClear={clear} />
      ) : (
        <div className={isPlaceholderData ? 'opacity-60 transition-opacity delay-150' : ''}>
          <RunList
            pages={data.pages}
            hasMore={hasNextPage}
            isLoadingMore={isFetchingNextPage}
            onMore={showMore}
          />
        </div>
      )}
    </>
  );
}

function countIn(pages: readonly RunPage[]): number {
  return pages.reduce((sum, { items }) => sum + items.length, 0);
}

/** The number of matching runs on the loaded pages. Counting all of them after every event would keep the service busy. */
function Fitting({ runs, hasMore }: { runs: number; hasMore: boolean }) {
  const say = useSay();
  const count = useCountText()(runs);
  if (runs === 0) return null;
  return (
    <span className="text-[13px] text-muted">
      {hasMore
        ? say(`more than ${count} matching runs`, `超过 ${count} 条符合`)
        : say(`${count} matching ${runs === 1 ? 'run' : 'runs'}`, `${count} 条符合`)}
    </span>
  );
}

/** The total number of runs. */
function OnRecord() {
  const say = useSay();
  const countText = useCountText();
  const { data } = useQuery(statsQuery(1));
  if (data === undefined) return null;
  const { runs } = data.history;
  const count = countText(runs);
  return (
    <span className="text-[13px] text-muted">
      {say(`${count} ${runs === 1 ? 'run' : 'runs'} in total`, `共 ${count} 条记录`)}
    </span>
  );
}

function NothingFound({ isSearch, onClear }: { isSearch: boolean; onClear: () => void }) {
  const say = useSay();
  if (isSearch)
    return (
      <Empty
        title={say('No matching runs', '没有匹配的运行记录')}
        action={<Button onClick={onClear}>{say('Clear filters', '清除筛选条件')}</Button>}
      >
        {say('New runs that match appear here automatically.', '符合条件的运行会自动出现在这里。')}
      </Empty>
    );
  return (
    <Empty
      title={say('No runs yet', '还没有运行记录')}
      action={
        <Link href="/" className={buttonClasses('primary')}>
          {say('Choose a script', '选择脚本')}
        </Link>
      }
    >
      {say('Run a script to see its outcome and output here.', '每次运行的结果和输出都会保存在这里。')}
    </Empty>
  );
}

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
function useLiveRuns(filters: RunFilters) {
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
  return getJson<RunPage>(`/api/runs?${query}`, { signal });
}

type Fits = (run: BriefRun) => boolean;

/**
 * Merges new run records into the loaded pages without refetching them, because lists can be long and runs frequent. Unchanged pages and
 * runs keep their identity, so that they are not rendered again.
 */
export function withRuns(pages: readonly RunPage[], news: readonly BriefRun[], fits: Fits): RunPage[] {
  // Only the latest record of each run counts.
  const latest = new Map(news.map((run) => [run.run_id, run]));
  const changed = pages.map((page) => withChanges(page, latest, fits));
  const known = new Set(pages.flatMap(({ items }) => items.map(({ run_id }) => run_id)));
  for (const run of latest.values()) if (!known.has(run.run_id) && fits(run)) insert(changed, run);
  return changed;
}

/**
 * Merges a new first page into a long list; null if they do not overlap, because runs between them may be missing. Later pages stay as they
 * are: they rarely change, and refetching them is slow.
 */
export function withFirstPage(
  pages: readonly RunPage[],
  { items }: RunPage,
  fits: Fits,
): readonly RunPage[] | null {
  const known = new Set(pages.flatMap((page) => page.items.map(({ run_id }) => run_id)));
  if (!items.some(({ run_id }) => known.has(run_id))) return null;
  const now = new Set(items.map(({ run_id }) => run_id));
  const oldest = items.at(-1)?.queued_at ?? '';
  // A run within the time range of the new page that is not on it was deleted.
  const left = pages.map((page) => ({
    ...page,
    items: page.items.filter(({ run_id, queued_at }) => queued_at <= oldest || now.has(run_id)),
  }));
  return withRuns(left, items, fits);
}

/** Updates the runs of a page. */
function withChanges(page: RunPage, latest: ReadonlyMap<string, BriefRun>, fits: Fits): RunPage {
  if (!page.items.some(({ run_id }) => latest.has(run_id))) return page;
  const items = page.items.flatMap((run) => {
    const now = latest.get(run.run_id);
    if (now === undefined || stepOf(now) < stepOf(run)) return [run];
    return fits(now) ? [now] : [];
  });
  return { ...page, items };
}

/** The stage of a run, which only increases. An event may be older than a fetched record. */
function stepOf({ started_at, ended_at }: BriefRun): number {
  if (ended_at !== null) return 2;
  return started_at === null ? 0 : 1;
}

/** Inserts a run by time. A run older than all loaded pages is left for the next page. */
function insert(pages: RunPage[], run: BriefRun): void {
  for (const [index, page] of pages.entries()) {
    const at = page.items.findIndex(({ queued_at }) => queued_at <= run.queued_at);
    const isEnd = at < 0 && index === pages.length - 1 && page.next === null;
    if (at < 0 && !isEnd) continue;
    pages[index] = { ...page, items: page.items.toSpliced(at < 0 ? page.items.length : at, 0, run) };
    return;
  }
}
