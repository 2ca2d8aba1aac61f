import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { failingCauses, lastFailuresQuery } from '../api/queries.ts';
import type { BriefRun, Stats } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { rateText, useCountText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { runMessage, shownState } from '../parts/words-of-runs.ts';

import { countsOf, judgedOf } from './outcome-counts.ts';
import { Ranking } from './ranking.tsx';

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
              `${count(failed)} of ${count(judged)} (${rateText(failed, judged)})`,
              `${count(judged)} 次中 ${count(failed)} 次（${rateText(failed, judged)}）`,
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
