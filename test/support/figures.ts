import { appendFileSync } from 'node:fs';

import { expect } from 'vitest';

type Bound = { readonly atMost: number } | { readonly exactly: number | string };

interface Figure {
  readonly scenario: string;
  readonly what: string;
  readonly value: number | string;
  readonly unit: string;
  /** The asserted limit of the value. Without one, the value is only recorded. */
  readonly bound?: Bound;
}

/** Asserts the bound of a figure. In the long version, also stores the figure for docs/measurements.md. */
export function record(figure: Figure): void {
  const { scenario, what, value, bound } = figure;
  const rounded = typeof value === 'number' ? Math.round(value * 10) / 10 : value;
  if (bound !== undefined && 'exactly' in bound) expect(value, `${scenario}: ${what}`).toBe(bound.exactly);
  if (bound !== undefined && 'atMost' in bound)
    expect(value, `${scenario}: ${what}`).toBeLessThanOrEqual(bound.atMost);
  const file = process.env.RELIABILITY_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ ...figure, value: rounded })}\n`);
}

/** The smallest value that this share of all values does not exceed: 0.5 is the median, 1 the maximum. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}
