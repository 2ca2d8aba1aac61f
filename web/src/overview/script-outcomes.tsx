import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { failingCauses, lastFailuresQuery, outcomesQuery } from '../api/queries.ts';
import { type BriefRun, countsOf, formatRate, judgedOf, type Outcome, type Stats } from '../api/wire.ts';
import { type Say, useLanguage, useSay } from '../language/language.tsx';
import { durationText, useCountText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { StateIcon, stateLooks } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { runMessage, type ShownState, shownState, stateName } from '../parts/words-of-runs.ts';
import { Ranking } from './ranking.tsx';

const mostScripts = 10;
const runsEach = 20;

/** The most active scripts with the outcomes of their last runs. */
export function ScriptOutcomes({ scripts }: { scripts: Stats['scripts'] }) {
  const say = useSay();
  const shown = scripts.slice(0, mostScripts);
  // Sorted, so that the query key does not change with every run.
  const ids = shown.map(({ script_id }) => script_id).toSorted();
  const { data } = useQuery({
    ...outcomesQuery(runsEach, ids),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  const runsOf = new Map(data?.items.map(({ script_id, runs }) => [script_id, runs]));
  return (
    <Panel title={say('Most active', '最活跃')} aside={say('Last 20 runs', '最近 20 次运行')}>
      <ul className="flex flex-col">
        {shown.map((script) => (
          <ScriptLine key={script.script_id} script={script} runs={runsOf.get(script.script_id) ?? []} />
        ))}
      </ul>
    </Panel>
  );
}

interface ScriptLineProps {
  readonly script: Stats['scripts'][number];
  readonly runs: readonly Outcome[];
}

function ScriptLine({ script, runs }: ScriptLineProps) {
  const say = useSay();
  const count = useCountText();
  const { script_id, script_name, duration_ms } = script;
  const counts = countsOf(script);
  const rate = formatRate(counts.succeeded, judgedOf(counts));
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-5 gap-y-1 border-t border-line py-2 first:border-t-0 md:grid-cols-[minmax(0,1fr)_auto_auto_4.5rem]">
      <div className="min-w-0">
        <Link
          href={`/scripts/${script_id}`}
          className="block truncate font-medium hover:underline"
          title={script_name}
        >
          {script_name}
        </Link>
        <Link
          href={`/runs?script=${script_id}`}
          className="block truncate text-xs text-muted hover:text-ink hover:underline"
        >
          {say(
            `${count(script.runs)} ${script.runs === 1 ? 'run' : 'runs'}${rate === null ? '' : `, ${rate} succeeded`}`,
            `${count(script.runs)} 次运行${rate === null ? '' : `，成功率 ${rate}`}`,
          )}
        </Link>
      </div>
      <OutcomeStrip runs={runs} places={runsEach} />
      <span className="w-[102px] max-md:hidden">
        <DurationLine runs={runs} />
      </span>
      <span className="text-right text-xs text-muted tabular-nums max-md:hidden">
        {duration_ms !== null && durationText(duration_ms.median)}
      </span>
    </li>
  );
}

interface Bar {
  readonly run: Outcome;
  readonly x: number;
  /** Measured from the bottom. */
  readonly height: number;
}

export const strip = { barWidth: 5, step: 7, height: 24, shortest: 4, tallest: 18 } as const;

interface OutcomeStripProps {
  /** The newest first, as the service returns them. */
  readonly runs: readonly Outcome[];
  readonly places?: number;
}

/**
 * The last runs as small bars whose height is the duration. Shape and colour show the outcome: filled if it succeeded, with a dot above if it
 * failed, with a dash above if it was cancelled, hollow if the outcome is unknown, and dashed while the run is active.
 */
function OutcomeStrip({ runs, places = 20 }: OutcomeStripProps) {
  const { say } = useLanguage();
  const width = places * strip.step - (strip.step - strip.barWidth);
  return (
    <span className="inline-block leading-none">
      <span className="sr-only">{stripText(runs.slice(0, places), say)}</span>
      <svg
        aria-hidden="true"
        width={width}
        height={strip.height}
        viewBox={`0 0 ${width} ${strip.height}`}
        className="max-w-full"
      >
        {barsOf(runs, places).map((bar) => (
          <OutcomeBar key={bar.run.run_id} bar={bar} />
        ))}
      </svg>
    </span>
  );
}

/** A link for the mouse. It is not in the tab order, which would get twenty stops; the list of runs has the same links. */
function OutcomeBar({ bar: { run, x, height } }: { bar: Bar }) {
  const { say, language } = useLanguage();
  const { duration_ms } = run;
  const state = shownState(run);
  const when = new Date(run.queued_at).toLocaleString(language === 'zh' ? 'zh-CN' : 'en');
  const isFull = state === 'succeeded' || state === 'failed' || state === 'cancelled';
  return (
    <Link href={`/runs/${run.run_id}`} tabIndex={-1} className={stateLooks[state].ink}>
      <title>
        {[stateName(state, say), duration_ms === null ? null : durationText(duration_ms), when]
          .filter((part) => part !== null)
          .join(' · ')}
      </title>
      <rect x={x - 1} y={0} width={strip.step} height={strip.height} fill="transparent" />
      <rect
        x={isFull ? x : x + 0.75}
        y={strip.height - height + (isFull ? 0 : 0.75)}
        width={isFull ? strip.barWidth : strip.barWidth - 1.5}
        height={isFull ? height : height - 1.5}
        rx={1.5}
        fill={isFull ? 'currentColor' : 'none'}
        fillOpacity={state === 'succeeded' ? 0.75 : 1}
        stroke={isFull ? 'none' : 'currentColor'}
        strokeWidth={1.5}
        strokeDasharray={state === 'running' || state === 'queued' ? '2 2' : undefined}
      />
      {state === 'failed' && (
        <circle cx={x + strip.barWidth / 2} cy={strip.height - height - 3.5} r={2.2} fill="currentColor" />
      )}
      {state === 'cancelled' && (
        <rect x={x} y={strip.height - height - 4} width={strip.barWidth} height={1.8} fill="currentColor" />
      )}
    </Link>
  );
}

const line = { width: 96, height: 18 } as const;

/** The durations of the last runs as a line, the newest at the right. */
function DurationLine({ runs }: { runs: readonly Outcome[] }) {
  const { say } = useLanguage();
  const points = durationLine(runs, line);
  if (points === '') return null;
  const last = points.slice(points.lastIndexOf(' ') + 1).split(',');
  return (
    <span className="inline-block leading-none text-busy">
      <span className="sr-only">{durationsText(runs, say)}</span>
      <svg
        aria-hidden="true"
        width={line.width + 6}
        height={line.height + 6}
        viewBox={`-3 -3 ${line.width + 6} ${line.height + 6}`}
      >
        <polyline
          points={points}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          strokeLinejoin="round"
        />
        <circle cx={last[0]} cy={last[1]} r={2.5} fill="currentColor" />
      </svg>
    </span>
  );
}

function stripText(runs: readonly Outcome[], say: Say): string {
  const counts = new Map<ShownState, number>();
  for (const state of runs.map(shownState)) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = [...counts].map(([state, count]) => `${count} ${stateName(state, say).toLowerCase()}`);
  if (runs.length === 0) return say('No runs yet', '还没有运行记录');
  return say(
    `${runs.length === 1 ? 'Last run' : `Last ${runs.length} runs`}: ${parts.join(', ')}`,
    `最近 ${runs.length} 次运行：${parts.join('，')}`,
  );
}

function durationsText(runs: readonly Outcome[], say: Say): string {
  const durations = runs.flatMap(({ duration_ms }) => (duration_ms === null ? [] : [duration_ms]));
  const [shortest, longest] = [Math.min(...durations), Math.max(...durations)];
  return say(
    `Duration: ${durationText(shortest)} to ${durationText(longest)}`,
    `耗时 ${durationText(shortest)} 至 ${durationText(longest)}`,
  );
}

/** The runs as bars, aligned to the right with the newest last. */
export function barsOf(runs: readonly Outcome[], places: number): Bar[] {
  const shown = runs.slice(0, places);
  const longest = Math.max(1, ...shown.map(({ duration_ms }) => duration_ms ?? 0));
  return shown.map((run, index) => ({
    run,
    x: (places - 1 - index) * strip.step,
    height: heightOf(run.duration_ms, longest),
  }));
}

/** Scales by the square root, so that one very long run does not flatten all others. */
function heightOf(durationMs: number | null, longest: number): number {
  if (durationMs === null) return strip.tallest;
  return strip.shortest + (strip.tallest - strip.shortest) * Math.sqrt(durationMs / longest);
}

/** SVG points of the durations from the oldest to the newest. Empty for fewer than two points. */
export function durationLine(
  runs: readonly Outcome[],
  { width, height }: { width: number; height: number },
): string {
  const durations = runs.flatMap(({ duration_ms }) => (duration_ms === null ? [] : [duration_ms])).reverse();
  if (durations.length < 2) return '';
  const longest = Math.max(1, ...durations);
  const step = width / (durations.length - 1);
  return durations
    .map((ms, index) => `${(index * step).toFixed(1)},${(height - (height * ms) / longest).toFixed(1)}`)
    .join(' ');
}

const mostShown = 6;

/** Link to all failures, without runs that were stopped. */
const allFailures = `/runs?state=failed&end=${failingCauses}`;

/** The scripts with the most failures in the time range. */
export function FailingScripts({ scripts, days }: { scripts: Stats['scripts']; days: number }) {
  const say = useSay();
  const count = useCountText();
  const failing = scripts
    .map(({ script_id, script_name, ...tally }) => {
      const counts = countsOf(tally);
      return { script_id, script_name, failed: counts.failed, judged: judgedOf(counts) };
    })
    .filter(({ failed }) => failed > 0)
    .toSorted((a, b) => b.failed - a.failed)
    .slice(0, mostShown);
  return (
    <Panel title={say('Most failures', '失败最多')}>
      {failing.length === 0 ? (
        <p className="py-3 text-muted">{say('No failures.', '没有失败的运行。')}</p>
      ) : (
        <Ranking
          bar="bg-bad"
          items={failing.map(({ script_id, script_name, failed, judged }) => ({
            id: script_id,
            name: script_name,
            href: `${allFailures}&script=${script_id}&days=${days}`,
            value: failed,
            text: say(
              `${count(failed)} of ${count(judged)} (${formatRate(failed, judged)})`,
              `${count(judged)} 次中 ${count(failed)} 次（${formatRate(failed, judged)}）`,
            ),
          }))}
        />
      )}
    </Panel>
  );
}

/** The latest failed runs of any time. */
export function LastFailures() {
  const say = useSay();
  const { data } = useQuery(lastFailuresQuery(mostShown));
  return (
    <Panel
      title={say('Recent failures', '最近失败')}
      aside={
        <Link href={allFailures} className="text-accent hover:underline">
          {say('All failures', '全部失败')}
        </Link>
      }
    >
      {data?.items.length === 0 && (
        <p className="py-3 text-muted">{say('No failures.', '没有失败的运行。')}</p>
      )}
      <ul className="flex flex-col gap-2">
        {data?.items.map((run) => (
          <LastFailure key={run.run_id} run={run} />
        ))}
      </ul>
    </Panel>
  );
}

function LastFailure({ run }: { run: BriefRun }) {
  const say = useSay();
  return (
    <li className="flex gap-2.5">
      <span className="mt-0.5">
        <StateIcon state={shownState(run)} />
      </span>
      <div className="min-w-0 grow">
        <div className="flex items-baseline gap-3">
          <Link href={`/runs/${run.run_id}`} className="min-w-0 truncate font-medium hover:underline">
            {run.script_name}
          </Link>
          <span className="ml-auto text-xs text-muted">
            <Ago time={run.queued_at} />
          </span>
        </div>
        <p className="truncate text-xs text-muted">{runMessage(run, say)}</p>
      </div>
    </li>
  );
}
