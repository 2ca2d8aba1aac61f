import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Samples } from '../support/samples.mjs';

/** What making a file takes on a disk that has nothing else to do is a tenth of that. */
const quickMs = 0.1;
const pauseMs = 10_000;
const longestMs = 6 * 60_000;
const files = 50;

/**
 * Waits until the disk makes files as quickly as it can, and returns what one takes, in milliseconds. There are file systems that look,
 * for each file that is made, at all that were removed in the last minutes: after much was removed a file takes as long as a small
 * script does, and Hob makes a few for every run. Nothing that is made here is removed before the end.
 */
export async function settleDisk(folder, { isQuick, say }) {
  const deadline = performance.now() + longestMs;
  for (let round = 0; ; round++) {
    const tookMs = makeFiles(join(folder, `files-${round}`));
    if (tookMs <= quickMs || isQuick || performance.now() > deadline) return tookMs;
    say(`making a file takes ${tookMs.toFixed(2)} ms: waiting for the disk`);
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
