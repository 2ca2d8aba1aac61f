import { describe, expect, it } from 'vitest';

import { Samples } from '../support/samples.mjs';
import { comparisonFigures, comparisonTables } from './compare.mjs';

function samplesOf(times) {
  const samples = new Samples();
  samples.addAll(times);
  return samples;
}

/** The numbers 1 to 100 times a factor, unordered. */
const hundred = (factor) =>
  samplesOf(Array.from({ length: 100 }, (_, at) => (((at * 37) % 100) + 1) * factor));

const watched = {
  serviceMb: 100,
  executorMb: 50,
  warmMb: 20,
  webhookMb: 10,
  blockedMs: 5,
  idleMs: 2,
  hits: 3,
  misses: 1,
};
const seen = [
  {
    program: 'sh',
    title: 'sh',
    callers: '8 callers',
    hob: { times: hundred(0.2), perSecond: 300 },
    webhook: { times: hundred(0.1), perSecond: 1200 },
    floor: { times: hundred(0.05), perSecond: 2000 },
    ...watched,
  },
  {
    program: 'sh',
    title: 'sh',
    callers: '1, twice a second',
    hob: { times: hundred(0.3) },
    webhook: null,
    ...watched,
  },
];

describe('samples', () => {
  it('return percentiles', () => {
    const samples = hundred(1);
    expect([0, 0.5, 0.99, 1].map((part) => samples.at(part))).toEqual([1, 50, 99, 100]);
    expect(samplesOf([7]).at(0.99)).toBe(7);
    expect(new Samples().at(0.5)).toBeUndefined();
  });
});

describe('a comparison', () => {
  it('shows the ratio of Hob to webhook', () => {
    const [times, calls, beside] = comparisonTables(seen);
    expect(times?.rows[0]).toEqual(['sh', '8 callers', 10, 5, 2, 19.8, 9.9, 2, 2.5]);
    expect(calls?.rows).toEqual([['sh', '8 callers', 300, 1200, 0.25, 2000]]);
    expect(beside?.rows[0]).toEqual(['sh', '8 callers', 100, 50, 20, 10, 5, 2, 3, 1]);
  });

  it('has empty cells and no figures without webhook', () => {
    const [times] = comparisonTables(seen);
    expect(times?.rows[1]).toEqual(['sh', '1, twice a second', 15, null, null, 29.7, null, null, null]);
    expect(comparisonFigures(seen)).toEqual({ 'sh, 8 callers: p50': 2, 'sh, 8 callers: calls': 0.25 });
  });
});
