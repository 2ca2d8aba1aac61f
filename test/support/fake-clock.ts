import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { tempFolder } from './hob.ts';
import { findProgram } from './needs.ts';

/** Whether this machine can show another time to a process. */
export const hasFaketime = findProgram('faketime') !== null;

/** The wall time of a service. It can jump while the service runs; timers keep the real time. */
export interface FakeClock {
  /** Environment of the service. Hob removes it from the environment of scripts and of the executor. */
  readonly env: Record<string, string>;
  now(): number;
  /** Moves the clock by so many milliseconds. */
  jump(byMs: number): void;
  /** Sets the clock to a time such as `2027-03-28T00:59:57Z`. */
  set(time: string): void;
  /** Remembers the process of a service. libfaketime leaves shared memory behind if it is killed. */
  noteProcess(pid: number | undefined): void;
}

export async function fakeClock(start: string): Promise<FakeClock> {
  const file = join(await tempFolder(), 'clock');
  let aheadMs = 0;
  const write = () => {
    // The library reads the file for each call, so it must never be empty.
    writeFileSync(`${file}.new`, `${aheadMs < 0 ? '' : '+'}${(aheadMs / 1000).toFixed(3)}\n`);
    renameSync(`${file}.new`, file);
  };
  const pids = new Set<number>();
  onTestFinished(() => {
    for (const pid of pids)
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
        rmSync(join('/dev/shm', name), { force: true });
  });
  const clock: FakeClock = {
    env: {
      LD_PRELOAD: libraryPath(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    now: () => Date.now() + aheadMs,
    jump(byMs) {
      aheadMs += byMs;
      write();
    },
    set(time) {
      aheadMs = Date.parse(time) - Date.now();
      write();
    },
    noteProcess(pid) {
      if (pid !== undefined) pids.add(pid);
    },
  };
  clock.set(start);
  return clock;
}

/** The library lies in a folder whose name contains the architecture. The variant is for programs with threads. */
function libraryPath(): string {
  const print = ['-m', '-f', '+0', 'sh', '-c', 'printf %s "$LD_PRELOAD"'];
  return execFileSync(findProgram('faketime') ?? '', print, { encoding: 'utf8' }).trim();
}
