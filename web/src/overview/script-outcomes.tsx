import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { outcomesQuery } from '../api/queries.ts';
import type { Outcome, Stats } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { useCountText } from '../parts/count-text.ts';
import { DurationLine, OutcomeStrip } from '../parts/outcome-strip.tsx';
import { Panel } from '../parts/panel.tsx';
import { durationText } from '../parts/time.tsx';
import { countsOf, judgedOf } from './outcome-counts.ts';
import { rateText } from './rate-text.ts';

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
  const rate = rateText(counts.succeeded, judgedOf(counts));
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
