import { expect, it } from 'vitest';

import { ProgressMeter } from './download.ts';

function meterAt() {
  const time = { nowMs: 0 };
  return { time, meter: new ProgressMeter(() => time.nowMs) };
}

it('reports the rate of the last seconds, and the remaining time at this rate', () => {
  const { time, meter } = meterAt();
  meter.expect([{ sizeBytes: 100_000 }, { sizeBytes: 0 }]);
  expect([meter.bytesPerSecond, meter.secondsLeft]).toEqual([null, null]);
  for (time.nowMs = 250; time.nowMs <= 10_000; time.nowMs += 250) meter.add(250, { isFetched: true });
  time.nowMs = 10_000;
  expect(meter.bytesPerSecond).toBeGreaterThan(900);
  expect(meter.bytesPerSecond).toBeLessThan(1100);
  for (; time.nowMs <= 20_000; time.nowMs += 250) meter.add(1250, { isFetched: true });
  expect(meter.bytesPerSecond).toBeGreaterThan(4500);
  expect(meter.secondsLeft).toBeLessThan(10);
});

it('counts existing bytes as done, but not in the rate', () => {
  const { time, meter } = meterAt();
  meter.expect([{ sizeBytes: 1000 }]);
  meter.add(900);
  time.nowMs = 1000;
  expect({ done: meter.bytesDone, rate: meter.bytesPerSecond, left: meter.secondsLeft }).toEqual({
    done: 900,
    rate: 0,
    left: null,
  });
});

it('subtracts fetched bytes when a file starts over', () => {
  const { meter } = meterAt();
  meter.add(10, { isFetched: true });
  meter.add(-10);
  meter.add(0, { isFileDone: true });
  expect([meter.bytesDone, meter.filesDone]).toEqual([0, 1]);
});
