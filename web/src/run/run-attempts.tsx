import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import type { Run } from '../api/wire.ts';
import { tagOf, useLanguage } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { Panel } from '../parts/panel.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { shownState } from '../parts/words-of-runs.ts';
import { attemptsQuery } from './run-query.ts';
import { RunTime } from './run-time.tsx';

/** The attempts of the series that a run belongs to. Renders nothing for a run that is not tried again. */
export function RunAttempts({ run }: { run: Run }) {
  const { say, language } = useLanguage();
  const isSeries = run.attempt > 1 || run.next_attempt_at !== null;
  const { data } = useQuery(attemptsQuery(run.run_id));
  if (data === undefined || !(isSeries || data.runs.length > 1)) return null;
  const { attempts, next_attempt_at } = data;
  return (
    <Panel
      title={say('Attempts', '尝试')}
      aside={say(`attempt ${run.attempt} of ${attempts}`, `第 ${run.attempt} 次，共 ${attempts} 次`)}
    >
      <ol className="flex flex-col gap-0.5">
        {data.runs.map((one) => (
          <li key={one.run_id}>
            <Link
              href={`/runs/${one.run_id}`}
              aria-current={one.run_id === run.run_id ? 'page' : undefined}
              className={classes(
                '-mx-1.5 flex items-center gap-2 rounded-lg px-1.5 py-1 hover:bg-hover',
                one.run_id === run.run_id && 'bg-accent-ground font-medium text-accent',
              )}
            >
              <StateIcon state={shownState(one)} size={15} />
              {say(`Attempt ${one.attempt}`, `第 ${one.attempt} 次`)}
              <span className="ml-auto text-xs font-normal text-muted">
                <RunTime run={one} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
      {next_attempt_at !== null && (
        <p className="mt-2 text-muted">
          {say('Next attempt: ', '下一次尝试：')}
          <Ago time={next_attempt_at} /> ({new Date(next_attempt_at).toLocaleTimeString(tagOf(language))})
        </p>
      )}
    </Panel>
  );
}
