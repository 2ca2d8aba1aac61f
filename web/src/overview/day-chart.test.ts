import { describe, expect, it } from 'vitest';

import { labelledColumns, roundTop } from './day-chart.tsx';

describe('roundTop', () => {
  it.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [7, 8],
    [10, 10],
    [11, 20],
    [999, 1000],
    [101, 150],
    [2100, 3000],
    [3400, 4000],
  ])('rounds %i up to %i', (most, top) => {
    expect(roundTop(most)).toBe(top);
  });

  it('returns an even number that is not below the value', () => {
    for (let most = 0; most < 5000; most++) {
      expect(Number.isInteger(roundTop(most) / 2)).toBe(true);
      expect(roundTop(most)).toBeGreaterThanOrEqual(most);
    }
  });
});

describe('labelledColumns', () => {
  it('spaces labels evenly and includes the last column', () => {
    expect([...labelledColumns(7, 7)]).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect([...labelledColumns(30, 6)]).toEqual([29, 24, 19, 14, 9, 4]);
    expect(labelledColumns(90, 6).size).toBeLessThanOrEqual(6);
  });
});
