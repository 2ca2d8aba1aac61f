import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { throttleRequests } from './chain-tree.tsx';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('asks once for several requests within the interval', async () => {
  const ask = vi.fn(async () => {});
  const { request } = throttleRequests(ask, 500);
  for (let count = 0; count < 10; count += 1) request();
  await vi.advanceTimersByTimeAsync(2000);
  expect(ask).toHaveBeenCalledTimes(1);
});

it('waits for a slow answer, and asks again if requested meanwhile', async () => {
  const answers: (() => void)[] = [];
  const ask = vi.fn(() => new Promise<void>((resolve) => answers.push(resolve)));
  const { request } = throttleRequests(ask, 500);
  request();
  await vi.advanceTimersByTimeAsync(500);
  request();
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledTimes(1);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(500);
  expect(ask).toHaveBeenCalledTimes(2);
});

it('does not ask after it was stopped', async () => {
  const ask = vi.fn(async () => {});
  const { request, stop } = throttleRequests(ask, 500);
  request();
  stop();
  request();
  await vi.advanceTimersByTimeAsync(2000);
  expect(ask).not.toHaveBeenCalled();
});
