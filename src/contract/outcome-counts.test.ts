import { expect, it } from 'vitest';

import { countsOf, judgedOf } from './outcome-counts.ts';

it('stopped runs count neither as failures nor towards the success rate', () => {
  const counts = countsOf({
    succeeded: 6,
    failed: 5,
    unknown: 1,
    end_causes: { exit: 7, timeout: 1, cancelled: 2, shutdown: 1, lost: 1 },
  });
  expect(counts).toEqual({ succeeded: 6, failed: 2, stopped: 3, unknown: 1 });
  expect(judgedOf(counts)).toBe(9);
});
