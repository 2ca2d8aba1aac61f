import { useEffect, useState } from 'react';

import { serviceNow } from '../api/service-clock.ts';
import { tagOf, useLanguage } from '../language/language.tsx';

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** The relative time of a moment, kept up to date, with the exact time as tooltip. */
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
  for (const [unit, unitMs] of units) if (ms >= unitMs) return format.format(-Math.floor(ms / unitMs), unit);
  return format.format(0, 'second');
}

/** A duration in short form: 12 ms, 3.4 s, 2:05, 1:02:03. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
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
