import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createLogger } from '../../shared/log.ts';
import { DesktopHealth } from './desktop-health.ts';

/** The pause of a desktop that fails on demand. */
async function pauseOfDesktop() {
  const health = new DesktopHealth(await createLogger('silent'));
  return {
    isOn: (identity: string) => health.isPaused(identity),
    failed: (identity: string) => health.failed(identity, { problem: '', hint: '' }, new Error('no')),
    worked: () => health.worked(),
  };
}

describe('the pause after a failure', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is one second, then doubles up to 30 seconds', async () => {
    const pause = await pauseOfDesktop();
    expect(pause.isOn('a')).toBe(false);
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      pause.failed('a');
      vi.advanceTimersByTime(waitMs - 1);
      expect(pause.isOn('a')).toBe(true);
      vi.advanceTimersByTime(1);
      expect(pause.isOn('a')).toBe(false);
    }
  });

  it('does not apply to another desktop, and ends with a success', async () => {
    const pause = await pauseOfDesktop();
    pause.failed('a');
    pause.failed('a');
    expect(pause.isOn('b')).toBe(false);
    expect(pause.isOn('a')).toBe(true);
    pause.worked();
    expect(pause.isOn('a')).toBe(false);
    pause.failed('a');
    vi.advanceTimersByTime(1000);
    expect(pause.isOn('a')).toBe(false);
  });
});
