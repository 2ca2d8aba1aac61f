import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { root } from './lib/prepare.mjs';

/** Checks schema/openapi.json with the recommended rules of Redocly and the OpenAPI rules of Spectral. A warning fails, too. */
const file = join('schema', 'openapi.json');
const found = [lintWithRedocly(), await lintWithSpectral()];
if (found.some((problems) => problems > 0)) process.exit(1);

function lintWithRedocly() {
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'lint', file, '--extends=recommended', '--format=json'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    },
  );
  if (stdout === '') throw new Error(`Redocly failed with status ${status}: ${stderr}`);
  const { totals, problems } = JSON.parse(stdout);
  for (const { severity, ruleId, message, location } of problems)
    console.error(`${severity} ${ruleId} ${location?.[0]?.pointer ?? ''}: ${message}`);
  console.log(`Redocly: ${totals.errors} errors, ${totals.warnings} warnings`);
  return totals.errors + totals.warnings;
}

async function lintWithSpectral() {
  const { default: core } = await import('@stoplight/spectral-core');
  const { default: rulesets } = await import('@stoplight/spectral-rulesets');
  const spectral = new core.Spectral();
  spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
  const problems = await spectral.run(JSON.parse(readFileSync(join(root, file), 'utf8')));
  for (const { severity, code, message, path } of problems)
    console.error(`${severity === 0 ? 'error' : 'warning'} ${code} ${path.join('.')}: ${message}`);
  const errors = problems.filter(({ severity }) => severity === 0).length;
  console.log(`Spectral: ${errors} errors, ${problems.length - errors} warnings`);
  return problems.length;
}
