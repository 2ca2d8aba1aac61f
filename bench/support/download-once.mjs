import { readFileSync } from 'node:fs';

import { ModelDownloads } from '../../build/models/downloads/model-downloads.js';
import { systemClock } from '../../build/shared/clock.js';
import { createLogger } from '../../build/shared/log.js';

/** Downloads one model and prints the duration and the memory used. Arguments: hub, cache, repo. */
const [, , endpoint, cache, name] = process.argv;
const source = { endpoint, cache, token: null, tokenFile: null, isOffline: false };
const downloads = new ModelDownloads({
  sources: { huggingface: source, modelscope: source },
  clock: systemClock,
  log: await createLogger('silent'),
  version: '0.0.0',
  hashEntry: new URL('../../dist/models/downloads/hashing/hash-worker.js', import.meta.url),
});
const residentMib = (field) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
const before = residentMib('VmRSS');
const began = performance.now();
let afterTenthMib = null;
downloads.progress.subscribe(({ state, error, bytesDone, bytesTotal }) => {
  if (afterTenthMib === null && bytesTotal !== null && bytesDone > bytesTotal / 10)
    afterTenthMib = residentMib('VmHWM');
  if (state === 'running') return;
  const seconds = (performance.now() - began) / 1000;
  const most = residentMib('VmHWM');
  process.stdout.write(
    `${JSON.stringify({ state, message: error?.message, seconds, before, afterTenthMib: afterTenthMib ?? most, most })}\n`,
  );
  void downloads.close();
});
downloads.start({ repo: { owner: 'bench', name }, source: 'huggingface', files: [], revision: null });
