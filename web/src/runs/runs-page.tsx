import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { statsQuery } from '../api/queries.ts';
import type { RunPage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { useCountText } from '../parts/format.ts';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { FilterBar } from './filter-bar.tsx';
import { isFiltered, type RunFilters, readFilters, writeFilters } from './run-filters.ts';
import { RunList } from './run-list.tsx';
import { useLiveRuns } from './use-live-runs.ts';

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
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
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
