import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { BackOff } from './desktop-health.ts';

describe('the pause after a failure', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is one second, then doubles up to 30 seconds', () => {
    const backOff = new BackOff();
    expect(backOff.isOn('a')).toBe(false);
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      backOff.failed('a');
      vi.advanceTimersByTime(waitMs - 1);
      expect(backOff.isOn('a')).toBe(true);
      vi.advanceTimersByTime(1);
      expect(backOff.isOn('a')).toBe(false);
    }
  });

  it('does not apply to another desktop, and ends with a success', () => {
    const backOff = new BackOff();
    backOff.failed('a');
    backOff.failed('a');
    expect(backOff.isOn('b')).toBe(false);
    expect(backOff.isOn('a')).toBe(true);
    backOff.reset();
    expect(backOff.isOn('a')).toBe(false);
    backOff.failed('a');
    vi.advanceTimersByTime(1000);
    expect(backOff.isOn('a')).toBe(false);
  });
});
