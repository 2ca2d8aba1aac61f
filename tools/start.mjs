import { join } from 'node:path';

import { prepare, root } from './lib/prepare.mjs';

/** `npm start`: whatever a fresh clone lacks, then the service with the examples. Further arguments go to `hob serve`. */
await prepare();
const cli = join(root, 'bin', 'hob.js');
// The examples come last: a stray argument (`npm start --port 1` lacks its `--`) is refused then, not taken for a folder.
process.argv = [
  process.execPath,
  cli,
  'serve',
  ...process.argv.slice(2),
  '--scripts',
  join(root, 'examples'),
];
await import('../bin/hob.js');
