import { setTimeout as wait } from 'node:timers/promises';

/** Waits for work that has no limit of its own, but not longer than this. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const deadline = new AbortController();
  await Promise.race([work, wait(ms, undefined, { signal: deadline.signal, ref: false }).catch(() => {})]);
  deadline.abort();
}
