import { setTimeout as wait } from 'node:timers/promises';

import { isExhaustion } from './errors.ts';

const attempts = 20;
const pauseMs = 250;

/**
 * Tries again for a few seconds while the machine is out of something: that is a state of this process, which passes, and
 * says nothing about what was asked for. `errnoOfResult` tells what an attempt lacked, if anything.
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
