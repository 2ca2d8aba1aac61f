/** Durations are counted in buckets, four for every doubling, so estimates are at most a fifth off. */
const perDoubling = 4;

export function bucketOf(durationMs: number): number {
  return durationMs < 1 ? 0 : 1 + Math.floor(perDoubling * Math.log2(durationMs));
}

export interface DurationCount {
  readonly bucket: number;
  readonly runs: number;
  readonly totalMs: number;
}

export interface Durations {
  readonly meanMs: number;
  /** Estimates: the mean of the bucket into which they fall. */
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Null if there are no counts. */
export function describeDurations(counts: readonly DurationCount[]): Durations | null {
  const runs = counts.reduce((sum, count) => sum + count.runs, 0);
  if (runs === 0) return null;
  const totalMs = counts.reduce((sum, count) => sum + count.totalMs, 0);
  const sorted = [...counts].sort((a, b) => a.bucket - b.bucket);
  return {
    meanMs: Math.round(totalMs / runs),
    medianMs: percentile(sorted, runs / 2),
    p95Ms: percentile(sorted, runs * 0.95),
  };
}

function percentile(sorted: readonly DurationCount[], rank: number): number {
  let seen = 0;
  for (const { runs, totalMs } of sorted) {
    seen += runs;
    // The mean of a bucket lies inside the bucket, and is exact if all its durations are equal.
    if (seen >= rank) return Math.round(totalMs / runs);
  }
  return 0;
}
