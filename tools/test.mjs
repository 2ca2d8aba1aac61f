import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { prepare, root } from './lib/prepare.mjs';
import { installTestTools } from './lib/test-tools.mjs';

/** `npm test`: sets up a fresh clone, installs programs that the tests start, then runs all tests. Passes arguments to vitest. */
await prepare();
const tools = installTestTools();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_TOOLS_PATH: tools },
});
process.exit(status ?? 1);
