import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { countsOf, type Ended, outcomes, type Stats } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { useCountText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { endedName } from '../parts/words-of-runs.ts';

const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const;

export type Day = Stats['days'][number];

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
  const counts = countsOf(day);
  const parts = outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${count(counts[outcome])} ${endedName(outcome, say).toLowerCase()}`);
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

/** The days with runs, the latest first. */
function DayTable({ days }: { days: readonly Stats['days'][number][] }) {
  const { say, language } = useLanguage();
  const count = useCountText();
  const tag = tagOf(language);
  const busy = days.filter(({ runs }) => runs > 0).toReversed();
  return (
    <details className="group text-[13px]">
      <summary className="inline-flex items-center gap-1 text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="transition-transform group-open:rotate-90" />
        {say('Show as table', '以表格显示')}
      </summary>
      <div className="mt-2 max-h-72 overflow-auto">
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-muted">
            <tr>
              <th scope="col" className="py-1 text-left font-medium">
                {say('Date', '日期')}
              </th>
              {outcomes.map((outcome) => (
                <th key={outcome} scope="col" className="py-1 pl-4 font-medium">
                  {endedName(outcome, say)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {busy.map((day) => (
              <tr key={day.day} className="border-t border-line">
                <th scope="row" className="py-1 text-left font-normal">
                  <Link href={runsOfDay(day, days)} className="hover:text-accent hover:underline">
                    {dayName(day.day, tag)}
                  </Link>
                </th>
                {outcomes.map((outcome) => (
                  <td key={outcome} className="py-1 pl-4">
                    {count(countsOf(day)[outcome])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Outcomes differ in pattern as well as in colour. */
const grounds: Readonly<Record<Ended, string>> = {
  succeeded: 'bg-[color-mix(in_srgb,var(--good)_75%,var(--surface))]',
  failed: 'bg-bad bg-[repeating-linear-gradient(135deg,transparent_0_3px,var(--surface)_3px_4.5px)]',
  stopped: 'bg-line-strong',
  unknown: 'border border-warn bg-warn-ground',
};

function Legend() {
  const say = useSay();
  return (
    <span className="flex flex-wrap gap-x-4">
      {outcomes.map((outcome) => (
        <span key={outcome} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={classes('size-2.5 rounded-[3px]', grounds[outcome])} />
          {endedName(outcome, say)}
        </span>
      ))}
    </span>
  );
}

/** A short date for a day such as 2026-05-01. Noon avoids the clock changes at night. */
function dayName(day: string, tag: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(tag, { month: 'short', day: 'numeric' });
}

/** Whether the days of the service begin at midnight in the time zone of the browser. */
function areDaysOfHere(days: readonly Day[]): boolean {
  return days.every(({ day, begins_at }) => new Date(`${day}T00:00:00`).getTime() === Date.parse(begins_at));
}

/** Link to the runs of a day. The runs page uses days of the browser, so days of another time zone are passed as timestamps. */
function runsOfDay(day: Day, days: readonly Day[]): string {
  if (areDaysOfHere(days)) return `/runs?from=${day.day}&to=${day.day}`;
  const next = days[days.indexOf(day) + 1];
  const span = { since: day.begins_at, ...(next !== undefined && { until: next.begins_at }) };
  return `/runs?${new URLSearchParams(span)}`;
}
