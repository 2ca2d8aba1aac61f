import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { encodeRingState, ringFileOf } from '../../execution/ring-state.ts';
import { LogWatch } from './log-watch.ts';

const never = new AbortController().signal;

/** A watch that has seen what there is. */
async function settledWatch() {
  const log = join(await tempFolder(), 'stdout.log');
  writeFileSync(log, 'before');
  const watch = new LogWatch(log);
  watch.begin();
  await watch.changed(watch.version, never);
  return { log, watch };
}

describe('somebody who waits for a log', () => {
  it('is told when it grows, and so is everybody else', async () => {
    const { log, watch } = await settledWatch();
    const { version } = watch;
    const waiting = [watch.changed(version, never), watch.changed(version, never)];
    appendFileSync(log, 'more');
    await Promise.all(waiting);
    expect(watch.version).toBe(version + 1);
  });

  it('is told at once of what somebody knew was coming, however long it was silent', async () => {
    const { log, watch } = await settledWatch();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const waiting = watch.changed(watch.version, never);
    appendFileSync(log, 'more');
    // No time passes here, so only this can have it looked at.
    watch.hasten();
    await waiting;
  });

  it('is told when it comes into being', async () => {
    const log = join(await tempFolder(), 'stdout.log');
    const watch = new LogWatch(log);
    watch.begin();
    await watch.changed(watch.version, never);
    const waiting = watch.changed(watch.version, never);
    writeFileSync(log, 'x');
    await waiting;
  });

  it('costs nothing before the run has begun, and is told when it does', async () => {
    const folder = await tempFolder();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const watch = new LogWatch(join(folder, 'stdout.log'));
    const waiting = watch.changed(watch.version, never);
    // As long as it would take to look at the log, and to decide when to do so again.
    for (let looks = 0; looks < 20; looks++) await stat(folder);
    expect(vi.getTimerCount()).toBe(0);
    watch.begin();
    await waiting;
  });

  it('is told when its ring has moved on, though size and time of everything are as before', async () => {
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

  it('is told at once of what it missed, and of what cannot be seen', async () => {
    const { watch } = await settledWatch();
    const { version } = watch;
    const waiting = watch.changed(version, never);
    watch.wake();
    await waiting;
    await watch.changed(version, never);
  });

  it('need not wait any longer than it wants to', async () => {
    const { watch } = await settledWatch();
    const enough = new AbortController();
    const waiting = watch.changed(watch.version, enough.signal);
    enough.abort();
    await waiting;
    await watch.changed(watch.version, enough.signal);
  });
});
