import type { Outcome } from '../api/wire.ts';

export interface Bar {
  readonly run: Outcome;
  readonly x: number;
  /** From the bottom up. */
  readonly height: number;
}

export const strip = { barWidth: 5, step: 7, height: 24, shortest: 4, tallest: 18 } as const;

/** The runs as bars, the newest at the right, where they all are however few there are. */
export function barsOf(runs: readonly Outcome[], places: number): Bar[] {
  const shown = runs.slice(0, places);
  const longest = Math.max(1, ...shown.map(({ duration_ms }) => duration_ms ?? 0));
  return shown.map((run, index) => ({
    run,
    x: (places - 1 - index) * strip.step,
    height: heightOf(run.duration_ms, longest),
  }));
}

/** By the square root: a run that took a hundred times as long must not make all others look alike. */
function heightOf(durationMs: number | null, longest: number): number {
  if (durationMs === null) return strip.tallest;
  return strip.shortest + (strip.tallest - strip.shortest) * Math.sqrt(durationMs / longest);
}

/** A line through how long they took, from the oldest to the newest, in a field of such a size. Empty where there are too few. */
export function durationLine(
  runs: readonly Outcome[],
  { width, height }: { width: number; height: number },
): string {
  const durations = runs.flatMap(({ duration_ms }) => (duration_ms === null ? [] : [duration_ms])).reverse();
  if (durations.length < 2) return '';
  const longest = Math.max(1, ...durations);
  const step = width / (durations.length - 1);
  return durations
    .map((ms, index) => `${(index * step).toFixed(1)},${(height - (height * ms) / longest).toFixed(1)}`)
    .join(' ');
}
