import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { BackOff } from './back-off.ts';

describe('the pause after a failure', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is a second, then twice as long each time, and half a minute at most', () => {
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

  it('is not for what is another desktop, and over with a success', () => {
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
