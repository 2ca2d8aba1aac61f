import type { Outcome } from '../api/wire.ts';

export interface Bar {
  readonly run: Outcome;
  readonly x: number;
  /** Measured from the bottom. */
  readonly height: number;
}

export const strip = { barWidth: 5, step: 7, height: 24, shortest: 4, tallest: 18 } as const;

/** The runs as bars, aligned to the right with the newest last. */
export function barsOf(runs: readonly Outcome[], places: number): Bar[] {
  const shown = runs.slice(0, places);
  const longest = Math.max(1, ...shown.map(({ duration_ms }) => duration_ms ?? 0));
  return shown.map((run, index) => ({
    run,
    x: (places - 1 - index) * strip.step,
    height: heightOf(run.duration_ms, longest),
  }));
}

/** Scales by the square root, so that one very long run does not flatten all others. */
function heightOf(durationMs: number | null, longest: number): number {
  if (durationMs === null) return strip.tallest;
  return strip.shortest + (strip.tallest - strip.shortest) * Math.sqrt(durationMs / longest);
}

/** SVG points of the durations from the oldest to the newest. Empty for fewer than two points. */
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
