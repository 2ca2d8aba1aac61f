import { setTimeout } from 'node:timers/promises';

import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import { IdleCollector } from './idle-collector.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  let bytes = 20_000_000;
  let collected = 0;
  const collector = new IdleCollector({
    heapBytes: () => bytes,
    collect: async () => {
      collected += 1;
      bytes -= 5_000_000;
    },
  });
  return { collector, collected: () => collected, grow: (more: number) => (bytes += more) };
}

it('clears away twice when nothing was done for a while, and again when there is something to gain', async () => {
  const { collector, collected, grow } = setUp();
  grow(30_000_000);
  for (let count = 0; count < 20; count++) {
    collector.note();
    vi.advanceTimersByTime(1000);
  }
  expect(collected()).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(collected()).toBe(2);
  collector.note();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(collected()).toBe(2);
  grow(30_000_000);
  collector.note();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(collected()).toBe(4);
});

it('does nothing any more once it is closed', () => {
  const { collector, collected, grow } = setUp();
  grow(30_000_000);
  collector.close();
  vi.advanceTimersByTime(60_000);
  expect(collected()).toBe(0);
});

it('clears away for real', async () => {
  vi.useRealTimers();
  const usedBytes = () => process.memoryUsage().heapUsed;
  const before = usedBytes();
  const collector = new IdleCollector();
  onTestFinished(() => collector.close());
  // Long enough to be moved to where it stays until it is cleared away.
  const litter = Array.from({ length: 400_000 }, (_, index) => ({ index, text: `number ${index}` }));
  await setTimeout(10);
  expect(usedBytes() - before).toBeGreaterThan(20_000_000);
  litter.length = 0;
  collector.note();
  await vi.waitFor(() => expect(usedBytes() - before).toBeLessThan(10_000_000), {
    timeout: 20_000,
    interval: 100,
  });
});
