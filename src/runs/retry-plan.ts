import { longestDelayMs } from '../contract/retries.ts';
import type { EndCause, Origin, Retries } from '../contract/values.ts';
import { retriesUnderLock } from '../scripts/retries.ts';
import type { Script } from '../scripts/script.ts';

interface AttemptEnd {
  readonly cause: EndCause;
  readonly isSuccess: boolean;
  /** A further attempt could not start because the machine lacked something. The script has not run. */
  readonly couldNotStart: boolean;
}

/** Links answer their caller, which decides for itself. Builds are started again by the run that needs them. */
export function retriesFor(
  origin: Origin,
  { runtime }: Pick<Script, 'runtime'>,
  requested: Retries | null | undefined,
): Retries | null {
  if (origin === 'link' || origin === 'hob') return null;
  return retriesUnderLock(requested === undefined ? runtime.retries : requested, runtime.lock);
}

/** The time between the end of an attempt and the next one; null if the series ends. `attempt` counts from 1. */
export function nextDelayMs(
  plan: Retries | null,
  attempt: number,
  { cause, isSuccess, couldNotStart }: AttemptEnd,
): number | null {
  if (plan === null || attempt >= plan.attempts || isSuccess) return null;
  if (!couldNotStart && !plan.on.some((each) => each === cause)) return null;
  return delayAfter(plan, attempt);
}

/** The time to wait after an attempt. */
export function delayAfter({ backoffMs, factor }: Retries, attempt: number): number {
  return Math.round(Math.min(backoffMs * factor ** (attempt - 1), longestDelayMs));
}
