import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import {
  defaultSystemFiles,
  filesOf,
  isDefault,
  type Project,
  projectOf,
  systemFiles,
  testFiles,
  unitFiles,
} from '../projects.ts';
import { projectRoot } from '../support/hob.ts';

const projects: Project[] = ['unit', 'service', 'system'];

/** For each folder of src/, a file of `npm test` that uses it in real processes. */
const coverage: Record<string, string> = {
  cli: 'test/cli/run.test.ts',
  client: 'test/client/typescript.test.ts',
  contract: 'test/http/contract.test.ts',
  doctor: 'test/cli/chinese.test.ts',
  environments: 'test/cli/package-commands-live.test.ts',
  execution: 'test/runs/chain.test.ts',
  executor: 'test/executor/warm-failures.test.ts',
  files: 'test/console/files.test.ts',
  http: 'test/http/contract.test.ts',
  mcp: 'test/mcp/stop.test.ts',
  metrics: 'test/http/metrics.test.ts',
  models: 'test/cli/model.test.ts',
  notifications: 'test/notifications/notifications.test.ts',
  packages: 'test/packages/packages.test.ts',
  runs: 'test/runs/cancel.test.ts',
  scripts: 'test/scripts/catalogue.test.ts',
  secrets: 'test/secrets/secrets.test.ts',
  service: 'test/service/log.test.ts',
  settings: 'test/http/settings-routes.test.ts',
  shared: 'test/cli/run.test.ts',
  storage: 'test/cli/history-commands.test.ts',
  terminals: 'test/console/page-terminal.test.ts',
  transfer: 'test/upgrades/transfer.test.ts',
  triggers: 'test/triggers/webhooks.test.ts',
};

describe('the test files', () => {
  const all = testFiles();

  it('belong to exactly one project each', () => {
    expect(all.length).toBeGreaterThan(300);
    expect(projects.flatMap((project) => filesOf(project, 'all')).sort()).toEqual(all);
  });

  it('run in `npm test` or in `npm run test:rest`', () => {
    const of = (part: 'default' | 'rest') => projects.flatMap((project) => filesOf(project, part));
    const [first, rest] = [of('default'), of('rest')];
    expect(all.filter((path) => !first.includes(path) && !rest.includes(path))).toEqual([]);
    expect(first).toEqual(first.filter(isDefault));
    expect(rest.length).toBeLessThan(all.length / 2);
  });

  it('include those that are listed by name', () => {
    for (const place of [...unitFiles, ...systemFiles, ...defaultSystemFiles])
      expect([place, all.some((path) => path.startsWith(place))]).toEqual([place, true]);
    expect(defaultSystemFiles.filter((path) => projectOf(path) !== 'system')).toEqual([]);
  });

  it('use each folder of src/ in real processes by default', () => {
    const folders = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(Object.keys(coverage).sort()).toEqual(folders.sort());
    for (const [folder, path] of Object.entries(coverage)) {
      expect([folder, path, all.includes(path) && isDefault(path)]).toEqual([folder, path, true]);
      expect([folder, projectOf(path)]).not.toEqual([folder, 'unit']);
    }
  });
});

describe('a skipped test', () => {
  const needsProgram = `
import { has } from '../../../test/support/needs.ts';
it.runIf(has('a program of no machine', false))('needs it', () => {});`;
  const listed: { what: string; why: string }[] = JSON.parse(
    readFileSync(join(projectRoot, 'test', 'skips.json'), 'utf8'),
  );
  const needsListed = needsProgram.replace('a program of no machine', listed[0]?.what ?? '');

  it.each([
    ['of a missing program fails in CI', needsProgram, { part: 'all', ci: 'true' }, 1],
    ['of a missing program passes elsewhere', needsProgram, { part: 'all', ci: '' }, 0],
    ['of a missing program passes in `npm test`', needsProgram, { part: 'default', ci: 'true' }, 0],
    ['with a listed reason passes in CI', needsListed, { part: 'all', ci: 'true' }, 0],
    ['without a reason fails in CI', "it.skip('is skipped', () => {});", { part: 'all', ci: 'true' }, 1],
    [
      'without a reason fails in CI too in `npm test`',
      "it.skip('is skipped', () => {});",
      { part: 'default', ci: 'true' },
      1,
    ],
  ])('%s', (_name, text, { part, ci }, code) => {
    const { status, lines, runAgain } = runPlanted(text, part, ci);
    expect(status, lines.join('\n')).toBe(code);
    expect(lines.at(-1)).toMatch(
      code === 0 ? /^1 passed, 0 failed, 1 skipped$/ : /^\d passed, 1 failed, \d skipped$/,
    );
    const line = /^skipped: a program of no machine \(not on this machine\): planted\.test\.ts$/;
    expect(lines.filter((each) => line.test(each))).toHaveLength(code === 0 && text === needsProgram ? 1 : 0);
    expect(runAgain).toEqual(part === 'default' && text === needsProgram ? ['planted.test.ts'] : []);
  });
});

/** Runs vitest with the reporter of this project on one file. */
function runPlanted(text: string, part: string, ci: string) {
  const cache = join(projectRoot, '.cache', 'tests');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const reporter = join(projectRoot, 'test', 'support', 'closing-line.ts');
  const file = join(folder, 'planted.test.ts');
  writeFileSync(file, `import { it } from 'vitest';\nit('passes', () => {});\n${text}\n`);
  const options = { test: { root: folder, include: ['planted.test.ts'], reporters: [reporter] } };
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(options)};\n`);
  const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    encoding: 'utf8',
    env: { ...process.env, CI: ci, TEST_PART: part },
  });
  const noted = join(folder, '.cache', 'tests', 'run-again.json');
  const runAgain: string[] = part === 'default' ? JSON.parse(readFileSync(noted, 'utf8')) : [];
  return { status, lines: stdout.trim().split('\n'), runAgain };
}
