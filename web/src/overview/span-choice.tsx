import { useLocation, useSearch } from 'wouter';

import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';

const spans = [7, 30, 90] as const;
const usualDays = 30;

/** The number of days to show, from the URL. */
export function useDays(): number {
  const days = Number(new URLSearchParams(useSearch()).get('days'));
  return spans.find((span) => span === days) ?? usualDays;
}

export function SpanChoice() {
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
