import { spawnSync } from 'node:child_process';

import { prepare, root, say } from './lib/prepare.mjs';

/** `npm run check`: runs all checks except the tests. Continues after a failed check. */
await prepare();
const checks = [
  'build',
  'typecheck',
  'lint',
  'lint:openapi',
  'architecture',
  'unused',
  'words',
  'generate:check',
];
const failed = checks.filter((name) => {
  say(`\n== ${name}`);
  const { status } = spawnSync('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return status !== 0;
});
if (failed.length > 0) {
  say(`\nfailed: ${failed.join(', ')}`);
  process.exit(1);
}
say('\nall checks passed');
