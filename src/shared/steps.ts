import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be interrupted between its steps. Each step takes a millisecond or two. */
export type Steps<Result> = Generator<void, Result>;

export function allAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Yields to other work after each step. Work of a single step is done at once. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
