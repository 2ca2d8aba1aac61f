import { ModelDownloads } from '../../../build/models/downloads/model-downloads.js';
import { systemClock } from '../../../build/shared/clock.js';
import { createLogger } from '../../../build/shared/log.js';

/** Downloads `ada/tiny` in a separate process that a test may kill. Arguments: the address of the hub, and the cache. */
const [, , endpoint, cache] = process.argv;
const source = { endpoint, cache, token: null, tokenFile: null, isOffline: false };
const downloads = new ModelDownloads({
  sources: { huggingface: source, modelscope: source },
  clock: systemClock,
  log: await createLogger('silent'),
  version: '0.0.0',
  hashEntry: new URL('../../../dist/models/downloads/hashing/hash-worker.js', import.meta.url),
});
downloads.progress.subscribe(({ state, error }) => {
  if (state === 'running') return;
  process.stdout.write(`${state} ${error?.message ?? ''}\n`);
  void downloads.close();
});
downloads.start({ repo: { owner: 'ada', name: 'tiny' }, source: 'huggingface', files: [], revision: null });
