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

it('takes a clock that differs by hardly anything for right', () => {
  told(start - 1000);
  expect(serviceNow()).toBe(start);
});

it('goes by the clock of the service when the one of the browser is wrong, without jumping about', () => {
  told(start + 3_600_000);
  expect(serviceNow()).toBe(start + 3_600_000);
  vi.advanceTimersByTime(700);
  told(start + 3_601_000);
  expect(serviceNow()).toBe(start + 3_600_700);
});

it('notices that the clock of the browser was put right', () => {
  told(start - 600_000);
  vi.setSystemTime(start - 600_000);
  told(start - 600_000);
  expect(serviceNow()).toBe(start - 600_000);
});

it('learns nothing from an answer that tells no time', () => {
  setServiceClock(null);
  setServiceClock('soon');
  expect(serviceNow()).toBe(start);
});
