import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { keepSeen } from './lib/measured.mjs';
import { claimsTable } from './lib/measurements-page.mjs';
import { prepare, root, say } from './lib/prepare.mjs';
import { alignedText } from './lib/tables.mjs';

/**
 * `npm run bench [-- scenario...]`: runs the scenarios in bench one after the other (default: all) and writes the results to
 * docs/measurements.md. `--runs 100000` sets the size of the long history. `--dry` does not store the results.
 * `--only sh,python` selects parts of `performance`, and `--quick` takes few samples; both do not store the results.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000000' },
    dry: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const runs = Number(values.runs);
if (!(Number.isInteger(runs) && runs >= 2000)) refuse('--runs must be an integer of at least 2000');
const suffix = '.mjs';
const known = readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length));
requireKnown('scenario', positionals, known);
const keeps = !(values.dry || values.quick || values.only !== undefined);

await prepare();
const { Homes } = await import('../bench/support/homes.mjs');
const scenarios = [];
for (const name of positionals.length === 0 ? known : positionals) {
  const scenario = { name, store: 'benchmarks', parts: [], ...(await import(`../bench/${name}${suffix}`)) };
  scenarios.push(scenario);
  requireKnown('part', values.only?.split(',') ?? [], scenario.parts);
}
const scratch = mkdtempSync(join(tmpdir(), 'hob-bench-'));
try {
  const homes = new Homes(scratch);
  for (const { name, store, parts, measure, usesHistory = true } of scenarios) {
    say(`\n== ${name}`);
    const only = values.only?.split(',') ?? parts;
    const measured = await measure({ runs, homes, quick: values.quick, only, say });
    const { failed = [], ...seen } = Array.isArray(measured) ? { tables: measured } : measured;
    for (const { title, ...table } of seen.tables) say(['', title, ...alignedText(table)].join('\n'));
    if (seen.claims !== undefined) say(['', 'Limits', ...alignedText(claimsTable(seen.claims))].join('\n'));
    if (failed.length > 0) {
      say(`\nfailed, so that nothing is kept: ${failed.join(', ')}`);
      process.exitCode = 1;
    } else if (keeps)
      keepSeen(join(root, 'docs', `${store}.json`), name, { ...(usesHistory && { runs }), ...seen });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (keeps && !process.exitCode) {
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'generate.mjs')], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

function requireKnown(what, names, all) {
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    refuse(`Unknown ${what}: ${unknown.join(', ')}. Known: ${all.join(', ') || 'none'}`);
}

function refuse(why) {
  say(why);
  process.exit(1);
}
