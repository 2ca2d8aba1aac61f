import { describe, expect, it } from 'vitest';

import type { Stats } from '../../contract/types.ts';
import { barOf } from './stats.ts';

const counts = (fields: Partial<Stats['all']>): Stats['all'] => {
  const { succeeded = 0, failed = 0, unknown = 0, end_causes = {} } = fields;
  return { runs: succeeded + failed + unknown, succeeded, failed, unknown, end_causes, duration_ms: null };
};

describe('the bar of some runs', () => {
  it('has one mark for each outcome', () => {
    expect(barOf(counts({ succeeded: 8 }), 8)).toBe('='.repeat(16));
    expect(barOf(counts({ failed: 8 }), 8)).toBe('x'.repeat(16));
    expect(barOf(counts({ failed: 8, end_causes: { cancelled: 8 } }), 8)).toBe('-'.repeat(16));
    expect(barOf(counts({ succeeded: 4, failed: 3, unknown: 1, end_causes: { shutdown: 2 } }), 8)).toBe(
      '========----xxxx',
    );
  });

  it('shows a single failure and a single stopped run among many', () => {
    const some = counts({ succeeded: 998, failed: 2, end_causes: { cancelled: 1 } });
    expect(barOf(some, 1000)).toBe(`${'='.repeat(14)}-x`);
    expect(barOf(some, 100_000)).toBe('=-x');
  });

  it('is empty without runs', () => {
    expect(barOf(counts({}), 1)).toBe('');
  });
});
