import { describe, expect, it } from 'vitest';

import type { Outcome } from '../api/wire.ts';
import { barsOf, durationLine, strip } from './script-outcomes.tsx';

const took = (...durations: (number | null)[]): Outcome[] =>
  durations.map((duration_ms, index) => ({
    run_id: String(index),
    state: 'succeeded',
    end_cause: 'exit',
    queued_at: '2026-05-01T12:00:00.000Z',
    duration_ms,
  }));

describe('barsOf', () => {
  it('places the newest run at the right, even if there are few', () => {
    expect(barsOf(took(1, 1), 20).map(({ x }) => x)).toEqual([19 * strip.step, 18 * strip.step]);
    expect(barsOf(took(1, 1, 1), 2)).toHaveLength(2);
    expect(barsOf([], 20)).toEqual([]);
  });

  it('makes longer runs taller, with a minimum height', () => {
    const [long, short, none] = barsOf(took(10_000, 1, 0), 20).map(({ height }) => height);
    expect(long).toBe(strip.tallest);
    expect(short).toBeGreaterThan(strip.shortest);
    expect(none).toBe(strip.shortest);
  });
});

describe('durationLine', () => {
  const field = { width: 100, height: 10 };

  it('runs from the oldest to the newest, and skips runs without a duration', () => {
    expect(durationLine(took(20, null, 10, 0), field)).toBe('0.0,10.0 50.0,5.0 100.0,0.0');
  });

  it('is empty for fewer than two points', () => {
    expect(durationLine(took(20), field)).toBe('');
    expect(durationLine([], field)).toBe('');
  });
});
