import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Bell, Bot } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { useLive } from '../api/live-events.tsx';
import { healthQuery, runsInStateQuery, statsQuery } from '../api/queries.ts';
import type { Progress } from '../api/run-events.ts';
import { type BriefRun, countsOf, formatRate, judgedOf, type Stats } from '../api/wire.ts';
import { WarmUse } from '../health/warm-interpreters.tsx';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { bytesText, durationText, useCountText } from '../parts/format.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { Elapsed } from '../parts/time.tsx';
import { shownState } from '../parts/words-of-runs.ts';
import { CancelButton } from '../runs/cancel-button.tsx';
import { DayChart } from './day-chart.tsx';
import { Ranking } from './ranking.tsx';
import { FailingScripts, LastFailures, ScriptOutcomes } from './script-outcomes.tsx';

const spans = [7, 30, 90] as const;

const usualDays = 30;

const mostShown = 6;

const phoneLink = 'grid size-9 place-items-center rounded-lg text-muted hover:bg-hover md:hidden';

export function OverviewPage() {
  const say = useSay();
  const days = useDays();
  const { data, error, refetch } = useQuery({ ...statsQuery(days), placeholderData: keepPreviousData });
  return (
    <>
      <PageTitle title={say('Overview', '概览')}>
        <SpanChoice />
        {/* The bottom bar on phones has no room for these links. */}
        <Link href="/agents" aria-label={say('Agents', '智能体')} className={phoneLink}>
          <Bot size={18} aria-hidden />
        </Link>
        <Link href="/notifications" aria-label={say('Notifications', '通知')} className={phoneLink}>
          <Bell size={18} aria-hidden />
        </Link>
      </PageTitle>
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
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

/** The key figures of the time range. */
function Totals({ stats }: { stats: Stats }) {
  const say = useSay();
  const count = useCountText();
  const { all, history } = stats;
  const durations = all.duration_ms;
  const counts = countsOf(all);
  const others = [
    counts.stopped > 0 && say(`${count(counts.stopped)} stopped`, `${count(counts.stopped)} 次被停止`),
    counts.unknown > 0 && say(`${count(counts.unknown)} unknown`, `${count(counts.unknown)} 次结果未知`),
  ].filter((text) => typeof text === 'string');
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name={say('Runs', '运行次数')} value={count(all.runs)}>
        {say(
          `${count(history.runs)} in history, ${bytesText(history.bytes)}`,
          `保留 ${count(history.runs)} 条记录，${bytesText(history.bytes)}`,
        )}
      </Figure>
      <Figure
        name={say('Success rate', '成功率')}
        value={formatRate(counts.succeeded, judgedOf(counts)) ?? '–'}
      >
        {say(`${count(all.succeeded)} succeeded`, `${count(all.succeeded)} 次成功`)}
      </Figure>
      <Figure name={say('Failed', '失败')} value={count(counts.failed)}>
        {others.length > 0 && say(`plus ${others.join(', ')}`, `另有 ${others.join('，')}`)}
      </Figure>
      <Figure
        name={say('Median duration', '典型耗时')}
        value={durations === null ? '–' : durationText(durations.median)}
      >
        {durations !== null &&
          say(`95% within ${durationText(durations.p95)}`, `95% 在 ${durationText(durations.p95)} 内`)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <div className="rounded-xl border border-line bg-surface px-4 py-3">
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="mt-0.5 text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
      <dd className="min-h-[1lh] text-xs text-muted">{children}</dd>
    </div>
  );
}

const mostActive = 8;

/** The running and queued runs. */
function CurrentRuns() {
  const say = useSay();
  const { data: health } = useQuery(healthQuery);
  const { data: running } = useQuery(runsInStateQuery('running', mostActive));
  const { data: queued } = useQuery(runsInStateQuery('queued', mostActive));
  const progress = useProgress();
  const runs = [...(running?.items ?? []), ...(queued?.items ?? [])];
  return (
    <Panel
      title={say('Active runs', '当前')}
      aside={
        health &&
        say(
          `${health.running} running, ${health.queued} queued`,
          `${health.running} 个运行中，${health.queued} 个排队`,
        )
      }
    >
      {runs.length === 0 && running !== undefined && (
        <p className="py-3 text-muted">{say('No active runs.', '当前没有运行中的脚本。')}</p>
      )}
      <ul className="-mx-1">
        {runs.map((run) => (
          <CurrentRun key={run.run_id} run={run} progress={progress.get(run.run_id) ?? null} />
        ))}
      </ul>
      {(health?.running ?? 0) + (health?.queued ?? 0) > runs.length && runs.length > 0 && (
        <Link
          href="/runs?state=queued,running"
          className="mt-2 inline-block text-[13px] text-accent hover:underline"
        >
          {say('Show all', '显示全部')}
        </Link>
      )}
    </Panel>
  );
}

function CurrentRun({ run, progress }: { run: BriefRun; progress: Progress | null }) {
  const say = useSay();
  return (
    <li className="flex items-center gap-3 rounded-lg px-1 py-1.5">
      <StateIcon state={shownState(run)} />
      <div className="min-w-0 grow">
        <Link href={`/runs/${run.run_id}`} className="block truncate font-medium hover:underline">
          {run.script_name}
        </Link>
        {progress !== null && (
          <>
            <p className="truncate text-xs text-muted">{progress.message}</p>
            <ProgressBar fraction={progress.fraction} label={say('Progress', '进度')} />
          </>
        )}
      </div>
      <span className="text-xs text-muted">
        <Elapsed since={run.started_at ?? run.queued_at} />
      </span>
      <CancelButton run={run} />
    </li>
  );
}

/** The latest reported progress by run id. Progress reported before the page was opened is not included. */
function useProgress(): ReadonlyMap<string, Progress> {
  const { subscribe } = useLive();
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  useEffect(
    () =>
      subscribe(({ type, data }) => {
        if (type === 'run.progress') setKnown((all) => new Map(all).set(data.run_id, data));
        if (type === 'run.ended') setKnown((all) => without(all, data.run_id));
      }),
    [subscribe],
  );
  return known;
}

function without(all: ReadonlyMap<string, Progress>, runId: string): ReadonlyMap<string, Progress> {
  if (!all.has(runId)) return all;
  return new Map([...all].filter(([id]) => id !== runId));
}
