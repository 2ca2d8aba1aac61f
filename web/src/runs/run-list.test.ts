import { describe, expect, it } from 'vitest';

import { nearTo } from './run-list.tsx';

const heights = [100, 200, 100, 100];

describe('nearTo', () => {
  it.each([
    ['at the top', 0, 50, 0, 1],
    ['from the end of a part, excluding it', 100, 300, 1, 2],
    ['across several', 250, 350, 1, 3],
    ['at the bottom', 450, 900, 3, 4],
    ['above all of them', -900, -400, 0, 1],
    ['below all of them', 900, 1000, 3, 4],
  ])('selects the parts %s', (_where, fromPx, toPx, from, to) => {
    expect(nearTo(heights, { fromPx, toPx })).toEqual({ from, to });
  });
});
