import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { keepSeen } from './lib/measured.mjs';
import { prepare, root, say } from './lib/prepare.mjs';
import { installTestTools } from './lib/test-tools.mjs';

/**
 * `npm run torture [-- scenario...]`: runs the long version of the reliability scenarios one after the other (default: all) and
 * writes the figures to docs/measurements.md. `--share 0.1` runs a tenth of each.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '1' } },
});
const share = Number(values.share);
if (!(share > 0 && share <= 1)) {
  say('--share must be a number above 0 and at most 1');
  process.exit(1);
}
const suffix = '.test.ts';
const folder = join(root, 'test', 'reliability');
const known = readdirSync(folder)
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  say(`Unknown scenario: ${unknown.join(', ')}. Known: ${known.join(', ')}`);
  process.exit(1);
}

await prepare();
const tools = installTestTools();
const chosen = positionals.length === 0 ? known : positionals;
const failed = chosen.filter((name) => !run(name));
const { status } = spawnSync(process.execPath, [join(root, 'tools', 'generate.mjs')], { stdio: 'inherit' });
if (failed.length > 0) say(`Failed, figures in docs/measurements.md unchanged: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : (status ?? 1));

/** Runs one scenario, and stores its figures if it passes. */
function run(scenario) {
  const scratch = mkdtempSync(join(tmpdir(), 'hob-torture-'));
  const figuresFile = join(scratch, 'figures.jsonl');
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const { status: code } = spawnSync(process.execPath, [vitest, 'run', join(folder, scenario + suffix)], {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...tools,
        RELIABILITY_SHARE: String(share),
        RELIABILITY_FIGURES: figuresFile,
      },
    });
    if (code !== 0) return false;
    keepSeen(join(root, 'docs', 'reliability.json'), scenario, { share, figures: readFigures(figuresFile) });
    return true;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns one value per figure: the largest, if it was measured in several rounds. */
function readFigures(path) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const figures = new Map();
  for (const line of lines) {
    const { scenario: _, ...figure } = JSON.parse(line);
    const before = figures.get(figure.what);
    if (before === undefined || before.value < figure.value) figures.set(figure.what, figure);
  }
  return [...figures.values()];
}
