import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Samples } from '../support/samples.mjs';

/** On an idle disk, creating a file takes a tenth of this. */
const quickMs = 0.1;
const pauseMs = 10_000;
const longestMs = 6 * 60_000;
const files = 50;

/**
 * Waits until the disk creates files at full speed, and returns the milliseconds per file. Some file systems, for each new file, check all
 * files that were removed in the last minutes. After many removals a new file takes as long as a small script, and Hob creates several files per
 * run. Therefore the files created here stay until the end.
 */
export async function settleDisk(folder, { isQuick, say }) {
  const deadline = performance.now() + longestMs;
  for (let round = 0; ; round++) {
    const tookMs = makeFiles(join(folder, `files-${round}`));
    if (tookMs <= quickMs || isQuick || performance.now() > deadline) return tookMs;
    say(`creating a file takes ${tookMs.toFixed(2)} ms: waiting for the disk`);
    await wait(pauseMs);
  }
}

function makeFiles(folder) {
  mkdirSync(folder);
  const times = new Samples();
  for (let count = 0; count < files; count++) {
    const began = performance.now();
    closeSync(openSync(join(folder, String(count)), 'wx'));
    times.add(performance.now() - began);
  }
  return times.at(0.5);
}
