import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { encodeRingState, ringFileOf } from '../../execution/ring-state.ts';
import { LogWatch } from './run-outputs.ts';

const never = new AbortController().signal;

/** A watch that has already read the current state. */
async function settledWatch() {
  const log = join(await tempFolder(), 'stdout.log');
  writeFileSync(log, 'before');
  const watch = new LogWatch(log);
  watch.begin();
  await watch.changed(watch.version, never);
  return { log, watch };
}

describe('a reader that waits for a log', () => {
  it('is notified when the log grows, like all other readers', async () => {
    const { log, watch } = await settledWatch();
    const { version } = watch;
    const waiting = [watch.changed(version, never), watch.changed(version, never)];
    appendFileSync(log, 'more');
    await Promise.all(waiting);
    expect(watch.version).toBe(version + 1);
  });

  it('is notified at once of expected output, after any length of silence', async () => {
    const { log, watch } = await settledWatch();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const waiting = watch.changed(watch.version, never);
    appendFileSync(log, 'more');
    // No time passes here, so only `hasten` can cause a poll.
    watch.hasten();
    await waiting;
  });

  it('is notified when the log is created', async () => {
    const log = join(await tempFolder(), 'stdout.log');
    const watch = new LogWatch(log);
    watch.begin();
    await watch.changed(watch.version, never);
    const waiting = watch.changed(watch.version, never);
    writeFileSync(log, 'x');
    await waiting;
  });

  it('causes no polling before the run has started, and is notified when it starts', async () => {
    const folder = await tempFolder();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const watch = new LogWatch(join(folder, 'stdout.log'));
    const waiting = watch.changed(watch.version, never);
    // As long as a poll and the choice of the next pause would take.
    for (let looks = 0; looks < 20; looks++) await stat(folder);
    expect(vi.getTimerCount()).toBe(0);
    watch.begin();
    await waiting;
  });

  it('is notified when the ring has moved, even if sizes and times are unchanged', async () => {
    const { log, watch } = await settledWatch();
    const ring = ringFileOf(log);
    const move = (done: number) => {
      writeFileSync(ring, encodeRingState({ phase: 'ring', headBytes: 3, tailBytes: 3, done, until: done }));
      utimesSync(ring, 1, 1);
    };
    for (const done of [6, 7, 8]) {
      const waiting = watch.changed(watch.version, never);
      move(done);
      await waiting;
    }
  });

  it('is notified at once of a missed change, and of a change that the log does not show', async () => {
    const { watch } = await settledWatch();
    const { version } = watch;
    const waiting = watch.changed(version, never);
    watch.wake();
    await waiting;
    await watch.changed(version, never);
  });

  it('stops waiting when its signal is aborted', async () => {
    const { watch } = await settledWatch();
    const enough = new AbortController();
    const waiting = watch.changed(watch.version, enough.signal);
    enough.abort();
    await waiting;
    await watch.changed(watch.version, enough.signal);
  });
});
