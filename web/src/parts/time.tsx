import { useEffect, useState } from 'react';

import { serviceNow } from '../api/service-clock.ts';
import { tagOf, useLanguage } from '../language/language.tsx';
import { durationText, secondsText } from './format.ts';

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** The relative time of a past or future moment, kept up to date, with the exact time as tooltip. */
export function Ago({ time }: { time: string }) {
  const { language } = useLanguage();
  const now = useNow(30_000);
  const date = new Date(time);
  const tag = tagOf(language);
  return (
    <time dateTime={time} title={date.toLocaleString(tag)} className="whitespace-nowrap">
      {agoText(now - date.getTime(), tag)}
    </time>
  );
}

function agoText(ms: number, tag: string): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  for (const [unit, unitMs] of units)
    if (Math.abs(ms) >= unitMs) return format.format(-Math.trunc(ms / unitMs), unit);
  return format.format(0, 'second');
}

/** The current time, updated at an interval; by default by the clock of the service. */
export function useNow(everyMs: number, clock: () => number = serviceNow): number {
  const [now, setNow] = useState(clock);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, clock]);
  return now;
}

interface ElapsedProps {
  readonly since: string | number;
  /** Shows tenths of seconds during the first minute. */
  readonly isFine?: boolean;
  readonly words?: (ms: number) => string;
  /** The clock of `since`; by default that of the service. */
  readonly clock?: () => number;
}

const finelyMs = 60_000;

/** The time since a moment, updated continuously. */
export function Elapsed({
  since,
  isFine = false,
  words = isFine ? durationText : secondsText,
  clock = serviceNow,
}: ElapsedProps) {
  const began = new Date(since).getTime();
  const now = useNow(isFine && clock() - began < finelyMs ? 100 : 1000, clock);
  return <span className="whitespace-nowrap tabular-nums">{words(Math.max(0, now - began))}</span>;
}
