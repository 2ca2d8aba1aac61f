import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { seedHome } from './seed-home.mjs';

const scripts = 20;
const historyDays = 29;

/** Flushes all writes to the disk. Pending gigabytes would slow down the writes of the measurement. */
export function settle() {
  spawnSync('sync');
}

/** A script id made from a number. */
export function scriptId(number) {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-9000-000000000000`;
}

/** Homes with a history, created on first use. */
export class Homes {
  #folder;
  #made = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  async withHistory(runs) {
    const known = this.#made.get(runs);
    if (known !== undefined) return known;
    const home = join(this.#folder, `runs-${runs}`);
    await seedHome(home, history(runs), { repeatAfterDays: historyDays });
    settle();
    this.#made.set(runs, home);
    return home;
  }
}

/** Runs of twenty scripts over the last 29 days. One in 25 failed, each with its own message. Two in ten were linked by another run. */
function* history(runs) {
  const [nowMs, betweenMs] = [Date.now(), (historyDays * 86_400_000) / runs];
  let parentRunId = null;
  for (let n = 1; n <= runs; n++) {
    const runId = randomUUID();
    if (n % 10 === 0) parentRunId = runId;
    const isLinked = n > 10 && [1, 2].includes(n % 10);
    const isFailure = n % 25 === 0;
    yield {
      runId,
      scriptId: scriptId(n % scripts),
      scriptName: `Resize images ${n % scripts}`,
      version: `1.0.${n % 7}`,
      origin: isLinked ? 'link' : ['execute', 'cli', 'console'][n % 3],
      parentRunId: isLinked ? parentRunId : null,
      atMs: nowMs - (runs - n + 1) * betweenMs,
      tookMs: 50 + (n % 1000),
      isFailure,
      endCause: n % 100 === 0 ? 'timeout' : 'exit',
      message: isFailure ? `文件 ${n} 无法读取` : `done: ${n} pictures were resized`,
      data: { images: [`/home/ada/pictures/${n}.jpg`] },
      params: { quality: 85, format: 'png', keep: true },
      result: { output_paths: [`/home/ada/small/${n}.png`] },
    };
  }
}
