import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { latestRunsQuery, type RunsOf } from '../api/queries.ts';
import type { BriefRun } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Failure } from '../parts/failure.tsx';
import { durationText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { Ago, Elapsed } from '../parts/time.tsx';
import { runMessage, shownState } from '../parts/words-of-runs.ts';

const shown = 8;

interface LatestRunsProps {
  readonly of: RunsOf;
  /** The filter of the page with all of them. */
  readonly all: string;
}

/** The recent runs of a script or a trigger. */
export function LatestRuns({ of, all }: LatestRunsProps) {
  const say = useSay();
  const { data, error, refetch } = useQuery(latestRunsQuery(shown, of));
  return (
    <Panel
      title={say('Recent runs', '最近运行')}
      aside={
        data !== undefined &&
        data.items.length > 0 && (
          <Link href={`/runs?${all}`} className="text-accent hover:underline">
            {say('View all', '全部')}
          </Link>
        )
      }
    >
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="text-muted">{say('No runs yet', '还没有运行过')}</p>}
      {data !== undefined && data.items.length > 0 && (
        <ul className="-mx-2 -mb-2">
          {data.items.map((run) => (
            <li key={run.run_id}>
              <Link
                href={`/runs/${run.run_id}`}
                className="flex h-9 items-center gap-2.5 rounded-lg px-2 hover:bg-hover"
              >
                <StateIcon state={shownState(run)} />
                <span className="min-w-0 truncate text-muted" title={runMessage(run, say)}>
                  {runMessage(run, say)}
                </span>
                <span className="ml-auto shrink-0 text-xs text-muted tabular-nums">
                  <Duration run={run} />
                </span>
                <span className="w-20 shrink-0 text-right text-xs text-muted">
                  <Ago time={run.queued_at} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Duration({ run }: { run: BriefRun }) {
  if (run.duration_ms !== null) return durationText(run.duration_ms);
  return run.started_at === null || run.ended_at !== null ? null : <Elapsed since={run.started_at} />;
}
