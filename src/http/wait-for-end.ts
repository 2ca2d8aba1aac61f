import type { RunEnds } from '../runs/live-runs.ts';
import { AppError } from '../shared/errors.ts';

const longestWaitS = 300;
const secondsPattern = /^\d{1,3}(?:\.\d{1,9})?$/;

/** Parses the query field `wait`, in seconds. Returns milliseconds. */
export function readWaitMs(wait: string | null): number {
  if (wait === null) return 0;
  const seconds = secondsPattern.test(wait) ? Number(wait) : Number.NaN;
  if (seconds <= longestWaitS) return seconds * 1000;
  throw new AppError('field-invalid', {
    en: `wait must be a number of seconds from 0 to ${longestWaitS}`,
    zh: `wait 应为 0 到 ${longestWaitS} 之间的秒数`,
  });
}

/** Waits until a run has ended, `waitMs` have passed, or the signal is aborted. */
export async function waitForEnd(
  runId: string,
  { runEnds, waitMs, signal }: { runEnds: RunEnds; waitMs: number; signal: AbortSignal },
): Promise<void> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  const timer = setTimeout(stop, waitMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await runEnds.wait(runId, enough.signal);
  clearTimeout(timer);
}
