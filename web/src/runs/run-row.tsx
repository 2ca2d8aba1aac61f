import { memo } from 'react';
import { Link } from 'wouter';

import type { BriefRun } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { Elapsed } from '../parts/elapsed.tsx';
import { StateIcon, shownState } from '../parts/run-state.tsx';
import { Ago, durationText } from '../parts/time.tsx';
import { originName, runMessage, unusualEnd } from '../parts/words-of-runs.ts';
import { CancelButton } from './cancel-button.tsx';
import { rowMark } from './row-mark.ts';

/** A run in one line, or in three lines on phones. The whole row is a link. */
export const RunRow = memo(function RunRow({ run }: { run: BriefRun }) {
  const say = useSay();
  const { run_id, script_name, state, origin, queued_at } = run;
  const isOver = run.ended_at !== null;
  const end = unusualEnd(run.end_cause, say);
  const message = runMessage(run, say);
  return (
    <li className="relative grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-3 py-2.5 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto] nth-last-2:border-b-0 focus-within:bg-hover hover:bg-hover md:h-11 md:grid-cols-[auto_minmax(0,2fr)_minmax(0,3fr)_6.5rem_6rem_4.5rem_1.75rem] md:py-0">
      <StateIcon state={shownState(run)} />
      <Link
        href={`/runs/${run_id}`}
        title={script_name}
        className="truncate font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        {...{ [rowMark]: run_id }}
      >
        {script_name}
      </Link>
      <span className="truncate text-muted max-md:col-span-2 max-md:col-start-2 max-md:row-start-2 max-md:empty:hidden">
        {end !== null && <span className="mr-2 rounded bg-hover px-1.5 py-px text-xs text-ink">{end}</span>}
        {message !== end && message}
      </span>
      <span className="text-xs text-muted max-md:col-start-2 max-md:row-start-3 max-md:flex max-md:gap-2 md:contents">
        <span className="truncate">{originName(origin, say)}</span>
        <span className="md:text-right">
          <Ago time={queued_at} />
        </span>
      </span>
      <span
        className={classes(
          'text-right text-xs tabular-nums max-md:col-start-3 max-md:row-start-1',
          state === 'running' ? 'text-busy' : 'text-muted',
        )}
      >
        <RunTime run={run} />
      </span>
      <span className="relative z-10 grid justify-items-end max-md:col-start-3 max-md:row-start-3 max-md:empty:hidden">
        {!isOver && <CancelButton run={run} />}
      </span>
    </li>
  );
});

/** The duration of a run, updated while it is active. */
export function RunTime({ run }: { run: Pick<BriefRun, 'started_at' | 'ended_at' | 'duration_ms'> }) {
  // A run that never started has no duration.
  if (run.started_at === null) return '–';
  if (run.duration_ms !== null) return durationText(run.duration_ms);
  if (run.ended_at !== null) return '–';
  return <Elapsed since={run.started_at} />;
}
