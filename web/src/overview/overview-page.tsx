import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { Link, useLocation, useSearch } from 'wouter';

import { statsQuery } from '../api/queries.ts';
import type { Stats } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { durationText } from '../parts/time.tsx';
import { CurrentRuns } from './current-runs.tsx';
import { DayChart } from './day-chart.tsx';
import { FailingScripts, LastFailures } from './failures.tsx';
import { Ranking } from './ranking.tsx';
import { ScriptOutcomes } from './script-outcomes.tsx';
import { Totals } from './totals.tsx';
import { WarmUse } from './warm-use.tsx';

const spans = [7, 30, 90] as const;

const usualDays = 30;

const mostShown = 6;

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

/** Scripts by the 95th percentile of their duration, so that a single slow run does not count. */
function SlowestScripts({ scripts, days }: { scripts: Stats['scripts']; days: number }) {
  const say = useSay();
  const slowest = scripts
    .map((script) => ({ ...script, p95: script.duration_ms?.p95 ?? 0 }))
    .filter(({ p95 }) => p95 > 0)
    .toSorted((a, b) => b.p95 - a.p95)
    .slice(0, mostShown);
  return (
    <Panel title={say('Slowest', '最慢')} aside={say('95% of runs take at most', '95% 的运行不超过')}>
      {slowest.length === 0 ? (
        <p className="py-3 text-muted">{say('No runs.', '没有运行。')}</p>
      ) : (
        <Ranking
          bar="bg-busy"
          items={slowest.map(({ script_id, script_name, p95 }) => ({
            id: script_id,
            name: script_name,
            href: `/runs?script=${script_id}&days=${days}`,
            value: p95,
            text: durationText(p95),
          }))}
        />
      )}
    </Panel>
  );
}

/** The number of days to show, from the URL. */
function useDays(): number {
  const days = Number(new URLSearchParams(useSearch()).get('days'));
  return spans.find((span) => span === days) ?? usualDays;
}

function SpanChoice() {
  const say = useSay();
  const [, navigate] = useLocation();
  const chosen = useDays();
  return (
    <fieldset className="flex rounded-lg border border-line bg-surface p-0.5">
      <legend className="sr-only">{say('Time range', '时间范围')}</legend>
      {spans.map((days) => (
        <button
          key={days}
          type="button"
          aria-pressed={days === chosen}
          onClick={() =>
            navigate(days === usualDays ? '/overview' : `/overview?days=${days}`, { replace: true })
          }
          className={classes(
            'h-7 rounded-md px-2.5 text-[13px]',
            days === chosen ? 'bg-accent-ground font-medium text-accent' : 'text-muted hover:text-ink',
          )}
        >
          {say(`${days} days`, `${days} 天`)}
        </button>
      ))}
    </fieldset>
  );
}
