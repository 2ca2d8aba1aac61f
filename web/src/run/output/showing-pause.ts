/** More often nobody reads. */
const leastMs = 50;
/** So many times as long as the page took to show the last one, it has for whatever else somebody does there. */
const restAfterShowing = 2;
/** Somebody watches. A page that took longer than that was not busy with it: the machine was busy elsewhere. */
const mostMs = 1000;

/** How long to wait before a page shows what has come, when it was last told `sinceMs` ago and took `showingMs` for that. */
export function showingPause({ sinceMs, showingMs }: { sinceMs: number; showingMs: number }): number {
  const wantedMs = Math.max(leastMs, showingMs * (1 + restAfterShowing));
  return Math.max(0, Math.min(wantedMs, mostMs) - sinceMs);
}
