import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { Link } from 'wouter';

import { statsQuery } from '../api/queries.ts';
import type { Stats } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { CurrentRuns } from './current-runs.tsx';
import { DayChart } from './day-chart.tsx';
import { FailingScripts, LastFailures } from './failures.tsx';
import { ScriptOutcomes } from './script-outcomes.tsx';
import { SlowestScripts } from './slowest-scripts.tsx';
import { SpanChoice, useDays } from './span-choice.tsx';
import { Totals } from './totals.tsx';
import { WarmUse } from './warm-use.tsx';

export function OverviewPage() {
  const say = useSay();
  const days = useDays();
  const { data, error, refetch } = useQuery({ ...statsQuery(days), placeholderData: keepPreviousData });
  return (
    <>
      <PageTitle title={say('Overview', '概览')}>
        <SpanChoice />
        {/* The bottom bar on phones has no room for this link. */}
        <Link
          href="/notifications"
          aria-label={say('Notifications', '通知')}
          className="grid size-9 place-items-center rounded-lg text-muted hover:bg-hover md:hidden"
        >
          <Bell size={18} aria-hidden />
        </Link>
      </PageTitle>
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <Figures stats={data} days={days} />
      )}
    </>
  );
}

function Figures({ stats, days }: { stats: Stats; days: number }) {
  const say = useSay();
  const hasRuns = stats.all.runs > 0;
  return (
    <div className="flex flex-col gap-4">
      {hasRuns && <Totals stats={stats} />}
      {hasRuns ? (
        <DayChart days={stats.days} timeZone={stats.time_zone} />
      ) : (
        <Empty
          title={say(`No finished runs in the last ${days} days`, `最近 ${days} 天没有运行结束`)}
          action={
            <Link href="/" className={buttonClasses('primary')}>
              {say('Choose a script', '选择脚本')}
            </Link>
          }
        />
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        <CurrentRuns />
        <WarmUse />
        {hasRuns && (
          <>
            <LastFailures />
            <FailingScripts scripts={stats.scripts} days={days} />
          </>
        )}
      </div>
      {hasRuns && (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <ScriptOutcomes scripts={stats.scripts} />
          <SlowestScripts scripts={stats.scripts} days={days} />
        </div>
      )}
    </div>
  );
}
