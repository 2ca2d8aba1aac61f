import { serviceNow } from '../api/service-clock.ts';
import { durationText, useNow } from './time.tsx';

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

function secondsText(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : durationText(ms);
}
