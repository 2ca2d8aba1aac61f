import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { keepSeen } from './lib/measured.mjs';
import { prepare, root, say } from './lib/prepare.mjs';

/**
 * `npm run bench`: measures how long things take, one scenario after the other, and makes docs/benchmarks.md from it. Arguments are
 * the scenarios (all without any); `--runs 100000` makes the large history smaller, `--dry` keeps nothing.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '1000000' }, dry: { type: 'boolean', default: false } },
});
const runs = Number(values.runs);
if (!(Number.isInteger(runs) && runs >= 2000)) {
  say('--runs takes a whole number from 2000 on');
  process.exit(1);
}
const suffix = '.mjs';
const known = readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  say(`No such scenario: ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(1);
}

prepare();
const { Homes } = await import('../bench/support/homes.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'hob-bench-'));
try {
  const homes = new Homes(scratch);
  for (const name of positionals.length === 0 ? known : positionals) {
    say(`\n== ${name}`);
    const { measure, usesHistory = true } = await import(`../bench/${name}${suffix}`);
    const tables = await measure({ runs, homes });
    for (const { title, columns, rows } of tables) say([`\n${title}`, columns, ...rows].join('\n'));
    if (!values.dry)
      keepSeen(join(root, 'docs', 'benchmarks.json'), name, { ...(usesHistory && { runs }), tables });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (!values.dry) {
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'generate.mjs')], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
