/** Buckets in which durations are counted: four for every doubling, so what is told from them is at most a fifth off. */
const perDoubling = 4;

export function bucketOf(durationMs: number): number {
  return durationMs < 1 ? 0 : 1 + Math.floor(perDoubling * Math.log2(durationMs));
}
