import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { serviceNow, setServiceClock } from './service-clock.ts';

const start = Date.parse('2026-05-01T12:00:00.000Z');
const told = (ms: number) => setServiceClock(new Date(ms).toUTCString());

beforeEach(() => {
  vi.useFakeTimers({ now: start });
  told(start);
});
afterEach(() => {
  vi.useRealTimers();
});

it('ignores a difference of a second', () => {
  told(start - 1000);
  expect(serviceNow()).toBe(start);
});

it('uses the clock of the service if the browser clock is wrong, without jumping', () => {
  told(start + 3_600_000);
  expect(serviceNow()).toBe(start + 3_600_000);
  vi.advanceTimersByTime(700);
  told(start + 3_601_000);
  expect(serviceNow()).toBe(start + 3_600_700);
});

it('notices that the browser clock was corrected', () => {
  told(start - 600_000);
  vi.setSystemTime(start - 600_000);
  told(start - 600_000);
  expect(serviceNow()).toBe(start - 600_000);
});

it('ignores a response without a valid Date header', () => {
  setServiceClock(null);
  setServiceClock('soon');
  expect(serviceNow()).toBe(start);
});
