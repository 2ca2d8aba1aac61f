import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useLive } from '../api/live-events.tsx';
import { type Progress, progressIn } from '../api/progress.ts';
import { healthQuery, runsInStateQuery } from '../api/queries.ts';
import type { BriefRun } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Elapsed } from '../parts/elapsed.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { StateIcon, shownState } from '../parts/run-state.tsx';
import { CancelButton } from '../runs/cancel-button.tsx';

const mostShown = 8;

/** The running and queued runs. */
export function CurrentRuns() {
  const say = useSay();
  const { data: health } = useQuery(healthQuery);
  const { data: running } = useQuery(runsInStateQuery('running', mostShown));
  const { data: queued } = useQuery(runsInStateQuery('queued', mostShown));
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
      subscribe((event) => {
        const { run_id } = event.data;
        if (typeof run_id !== 'string') return;
        const progress = progressIn(event);
        if (progress !== null) setKnown((all) => new Map(all).set(run_id, progress));
        if (event.type === 'run.ended') setKnown((all) => without(all, run_id));
      }),
    [subscribe],
  );
  return known;
}

function without(all: ReadonlyMap<string, Progress>, runId: string): ReadonlyMap<string, Progress> {
  if (!all.has(runId)) return all;
  return new Map([...all].filter(([id]) => id !== runId));
}
