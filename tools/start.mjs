import { join } from 'node:path';

import { prepare, root } from './lib/prepare.mjs';

/** `npm start`: whatever a fresh clone lacks, then the service with the examples. Further arguments go to `hob serve`. */
prepare();
const cli = join(root, 'bin', 'hob.js');
process.argv = [
  process.execPath,
  cli,
  'serve',
  '--scripts',
  join(root, 'examples'),
  ...process.argv.slice(2),
];
await import('../bin/hob.js');
