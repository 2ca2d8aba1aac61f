import { useState } from 'react';
import { Link } from 'wouter';

import type { Stats } from '../api/wire.ts';
import { tagOf, useLanguage } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { useCountText } from '../parts/count-text.ts';
import { Panel } from '../parts/panel.tsx';
import { DayTable } from './day-table.tsx';
import { areDaysOfHere, dayName, runsOfDay } from './days.ts';
import { countsOf, outcomes } from './outcome-counts.ts';
import { grounds, Legend, outcomeNames } from './outcome-looks.tsx';

const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const;

type Day = Stats['days'][number];

const mostLabels = 6;
/** More labels overlap on a phone. */
const mostNarrowLabels = 3;

/** Outcomes of runs per day, as a chart and as a table for screen readers and exact numbers. */
export function DayChart({ days, timeZone }: { days: readonly Day[]; timeZone: string }) {
  const { say, language } = useLanguage();
  const [pointedAt, setPointedAt] = useState<Day | null>(null);
  const tag = tagOf(language);
  const top = roundTop(Math.max(0, ...days.map(({ runs }) => runs)));
  const labelled = labelledColumns(days.length, mostLabels);
  const narrowlyLabelled = labelledColumns(days.length, mostNarrowLabels);
  return (
    <Panel
      title={say('Runs per day', '每日运行')}
      aside={pointedAt === null ? <Legend /> : <DayText day={pointedAt} />}
      note={
        !areDaysOfHere(days) &&
        say(
          `Days are in the time zone of the machine that runs Hob (${timeZone}).`,
          `日期以运行 Hob 的机器所在时区为准（${timeZone}）。`,
        )
      }
    >
      <div aria-hidden="true" className="relative mb-6 ml-9 h-44" onPointerLeave={() => setPointedAt(null)}>
        {[top, top / 2, 0].map((value) => (
          <div
            key={value}
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${(100 * value) / top}%` }}
          >
            <span className="absolute -left-2 -translate-x-full -translate-y-1/2 text-xs text-muted tabular-nums">
              {value.toLocaleString(tag, { notation: 'compact' })}
            </span>
          </div>
        ))}
        <div className="absolute inset-0 flex">
          {days.map((day, index) => (
            <Link
              key={day.day}
              href={runsOfDay(day, days)}
              tabIndex={-1}
              onPointerEnter={() => setPointedAt(day)}
              className="relative flex h-full min-w-0 grow basis-0 flex-col items-center justify-end hover:bg-hover"
            >
              <Column day={day} top={top} />
              {(labelled.has(index) || narrowlyLabelled.has(index)) && (
                <span
                  className={classes(
                    'absolute top-full mt-1.5 text-xs whitespace-nowrap text-muted',
                    // A centred last label would overflow at the side if its column is narrow.
                    index === days.length - 1 ? 'right-0' : 'left-1/2 -translate-x-1/2',
                    !narrowlyLabelled.has(index) && 'max-sm:hidden',
                    !labelled.has(index) && 'sm:hidden',
                  )}
                >
                  {dayName(day.day, tag)}
                </span>
              )}
            </Link>
          ))}
        </div>
      </div>
      <DayTable days={days} />
    </Panel>
  );
}

/** Successful runs are at the bottom, so that days can be compared. Failed runs on top are hatched as well as red. */
function Column({ day, top }: { day: Day; top: number }) {
  const counts = countsOf(day);
  return outcomes
    .filter((outcome) => counts[outcome] > 0)
    .toReversed()
    .map((outcome) => (
      <span
        key={outcome}
        className={classes('min-h-[3px] w-3/4 max-w-10 shrink-0 first:rounded-t-[3px]', grounds[outcome])}
        style={{ height: `${(100 * counts[outcome]) / top}%` }}
      />
    ));
}

function DayText({ day }: { day: Day }) {
  const { say, language } = useLanguage();
  const count = useCountText();
  const names = outcomeNames(say);
  const counts = countsOf(day);
  const parts = outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${count(counts[outcome])} ${names[outcome].toLowerCase()}`);
  return (
    <span className="tabular-nums">
      <span className="font-medium text-ink">{dayName(day.day, tagOf(language))}</span>{' '}
      {parts.length === 0 ? say('no runs', '没有运行') : parts.join(', ')}
    </span>
  );
}

/** The smallest round number that is not below the value and whose half is an integer. */
export function roundTop(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const top = steps.map((step) => step * power).find((value) => value >= most && Number.isInteger(value / 2));
  return top ?? 10 * power;
}

/** The columns that get a label: evenly spaced, at most `most`, always including the last. */
export function labelledColumns(count: number, most: number): ReadonlySet<number> {
  const step = Math.ceil(count / most);
  const labelled = new Set<number>();
  for (let column = count - 1; column >= 0; column -= step) labelled.add(column);
  return labelled;
}
