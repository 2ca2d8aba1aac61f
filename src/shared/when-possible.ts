import { setTimeout as wait } from 'node:timers/promises';

import { isExhaustion } from './errors.ts';

const attempts = 20;
const pauseMs = 250;

/**
 * Retries for a few seconds while the machine lacks a resource. This is a temporary state of the process, and says
 * nothing about the requested object. `errnoOfResult` returns the errno of a failed attempt.
 */
export async function whenPossible<Result>(
  attempt: () => Promise<Result>,
  errnoOfResult: (result: Result) => string | undefined,
): Promise<Result> {
  for (let count = 1; ; count++) {
    const result = await attempt();
    if (!isExhaustion(errnoOfResult(result)) || count === attempts) return result;
    await wait(pauseMs);
  }
}
