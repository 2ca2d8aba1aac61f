/** Minimum time between updates. More frequent updates are not readable. */
const leastMs = 50;
/** Time for other work on the page, as a multiple of the time that the last update took. */
const restAfterShowing = 2;
/** Maximum time between updates. A longer update means that the machine was busy with something else. */
const mostMs = 1000;

/** The pause before the next update, if the last one was `sinceMs` ago and took `showingMs`. */
export function showingPause({ sinceMs, showingMs }: { sinceMs: number; showingMs: number }): number {
  const wantedMs = Math.max(leastMs, showingMs * (1 + restAfterShowing));
  return Math.max(0, Math.min(wantedMs, mostMs) - sinceMs);
}
