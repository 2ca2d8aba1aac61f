import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { prepare, root } from './lib/prepare.mjs';
import { findTestTools, installTestTools } from './lib/test-tools.mjs';

/**
 * Sets up a fresh clone, then runs tests. `npm test` runs the fast part; with paths, it runs these files. Both install nothing outside the
 * repository. `--all` first installs the programs that tests start, and runs all tests; `--rest` does the same, without the tests that
 * the last `npm test` ran. Passes all other arguments to vitest.
 */
const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== '--all' && arg !== '--rest');
const installs = args.length < given.length;
const hasPaths = args.some((arg, index) => !arg.startsWith('-') && !args[index - 1]?.startsWith('-'));
const part = given.includes('--rest') ? 'rest' : installs || hasPaths ? 'all' : 'default';

await prepare();
const tools = installs ? installTestTools() : findTestTools();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_PART: part, ...tools },
});
process.exit(status ?? 1);
