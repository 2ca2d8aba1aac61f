import { join } from 'node:path';

import { prepare, root } from './lib/prepare.mjs';

/** `npm start`: sets up a fresh clone, then starts the service with the examples. Passes further arguments to `hob serve`. */
await prepare();
const cli = join(root, 'bin', 'hob.js');
// The examples come last, so that a stray argument (`npm start --port 1` lacks its `--`) is refused and not taken as a folder.
process.argv = [
  process.execPath,
  cli,
  'serve',
  ...process.argv.slice(2),
  '--scripts',
  join(root, 'examples'),
];
await import('../bin/hob.js');
