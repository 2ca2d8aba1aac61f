import { ChevronRight } from 'lucide-react';
import { Link } from 'wouter';

import type { Stats } from '../api/wire.ts';
import { tagOf, useLanguage } from '../language/language.tsx';
import { useCountText } from '../parts/count-text.ts';
import { dayName, runsOfDay } from './days.ts';
import { countsOf, outcomes } from './outcome-counts.ts';
import { outcomeNames } from './outcome-looks.tsx';

/** The days with runs, the latest first. */
export function DayTable({ days }: { days: readonly Stats['days'][number][] }) {
  const { say, language } = useLanguage();
  const names = outcomeNames(say);
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
                  {names[outcome]}
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
