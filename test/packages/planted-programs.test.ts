import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { formatRecord } from '../../src/packages/store/installed-record.ts';
import { runCli, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has, testPath } from '../support/needs.ts';
import { Planted, variablesNaming } from '../support/planted.ts';
import { writeScript } from '../support/scripts.ts';

interface Finding {
  readonly area: string;
  readonly state: string;
  readonly what: string;
  readonly next: string | null;
}

const tools = ['perl', 'git', 'bash', 'sh'];
const hasTools = has(
  'python3, perl and git',
  ['python3', ...tools].every((name) => findProgram(name) !== null),
);

/** The interpreter itself, not a version manager that starts it. */
function realPython(): { path: string; version: string } {
  const code = 'import sys; print(sys.executable); print("%d.%d.%d" % sys.version_info[:3])';
  const env = { ...process.env, PATH: testPath };
  const [path = '', version = ''] = execFileSync('python3', ['-c', code], { env }).toString().split('\n');
  return { path, version };
}

/** A folder with a few programs of this machine. */
async function systemFolder(): Promise<string> {
  const folder = await tempFolder();
  const links = { python3: realPython().path, node: process.execPath };
  for (const [name, path] of Object.entries(links)) await symlink(path, join(folder, name));
  for (const name of tools) await symlink(findProgram(name) ?? '', join(folder, name));
  // Like the real npm it finds its interpreter on PATH, but it is faster.
  const npm = `#!/usr/bin/env node\nconsole.log('10.8.2');\n`;
  await writeFile(join(folder, 'npm'), npm, { mode: 0o755 });
  return folder;
}

/** A home with planted scripts, a planted package and a planted environment, and a user's variables with all of them on PATH. */
async function plantedMachine() {
  const root = await tempFolder();
  const at = (...names: string[]) => join(root, ...names);
  const planted = new Planted(at('mark'));
  const system = await systemFolder();
  const home = at('home');
  await mkdir(home, { mode: 0o700 });

  const wants = 'language_version = ">=3.8"\nbinaries = [{ name = "needed-program" }]';
  const python = { language: 'python', entry: ['main.py', ''] as [string, string], runtime: wants };
  await writeScript(at('scripts'), 'own', python);
  await planted.script(at('scripts', 'own'));
  // A TypeScript script whose packages are not installed yet.
  await writeScript(at('scripts'), 'typed', { language: 'typescript', entry: ['main.ts', ''] });
  await planted.script(at('scripts', 'typed'));
  await rm(at('scripts', 'typed', 'node_modules'), { recursive: true });
  await writeFile(at('scripts', 'typed', 'package.json'), '{"dependencies":{"left-pad":"*"}}');
  // A script that uses the system's Python with its own modules.
  await writeScript(at('scripts'), 'linked venv', python);
  await planted.pythonModules(at('scripts/linked venv/.venv/lib/python3.11/site-packages'));
  await mkdir(at('scripts/linked venv/.venv/bin'));
  await symlink(realPython().path, at('scripts/linked venv/.venv/bin/python'));
  await writeFile(at('scripts/linked venv/.venv/pyvenv.cfg'), `home = ${system}\nversion = 3.11.2\n`);
  // A script elsewhere that is linked into the script folder.
  await writeScript(at('elsewhere'), 'project', python);
  await planted.script(at('elsewhere', 'project'));
  await symlink(at('elsewhere', 'project'), at('scripts', 'project'));

  const id = randomUUID();
  await writeScript(at('home', 'packages', id), 'v1', { ...python, id, name: 'package' });
  await planted.script(at('home', 'packages', id, 'v1'));
  const installed = {
    version: null,
    installed_at: '2026-05-01T12:00:00.000Z',
    source: { kind: 'folder', location: '/x', ref: null, path: null },
    commit: null,
    content: null,
  } as const;
  const record = formatRecord({ id, current: 'v1', previous: null, versions: { v1: installed } });
  await writeFile(at('home', 'packages', id, 'installed.json'), record);

  const key = '1'.repeat(32);
  const environment = at('home', 'environments', key);
  for (const name of ['python', 'python3', 'node', 'git'])
    await planted.program(join(environment, 'b-00000000', 'env', 'bin', name));
  const marker = { format: 1, key, kind: 'python', made_with: 'Python 3.11.7', requirements: ['x'] };
  await writeFile(
    join(environment, 'environment.json'),
    JSON.stringify({ ...marker, made_at: '2026-05-01T12:00:00.000Z', folder: 'b-00000000' }),
  );

  // The user's own programs: links to programs of a script, and an editable installation of one.
  const user = at('user');
  await mkdir(join(user, 'bin'), { recursive: true });
  await symlink(at('scripts/linked venv/.venv/bin/python'), join(user, 'bin', 'python3'));
  await symlink(at('elsewhere/project/bin/node'), join(user, 'bin', 'node'));
  const [major, minor] = realPython().version.split('.');
  const site = join(user, '.local', 'lib', `python${major}.${minor}`, 'site-packages');
  await mkdir(site, { recursive: true });
  await writeFile(join(site, 'editable.pth'), `${at('scripts', 'own')}\n`);

  const own = at('scripts', 'own');
  const path = ['.', 'node_modules/.bin', own, join(own, 'bin'), join(own, '.venv', 'bin')]
    .concat(at('elsewhere/project/bin'), at('home', 'packages', id, 'v1', 'bin'))
    .concat(join(environment, 'b-00000000', 'env', 'bin'), join(user, 'bin'), system);
  const env = {
    ...variablesNaming(own),
    HOME: user,
    PATH: path.join(delimiter),
    HOB_SCRIPTS: at('scripts'),
    HOB_PORT: '0',
  };
  const folders = ['scripts/own', 'scripts/typed', 'scripts/linked venv', 'elsewhere/project']
    .concat(join('home', 'packages', id, 'v1'))
    .map((folder) => at(folder));
  return { planted, home, scripts: at('scripts'), own, system, env, folders };
}

describe.skipIf(!hasTools)('a program from a script or a package', () => {
  it.each([
    ['without a service', { hasService: false, isOnPath: true }],
    ['while the service runs', { hasService: true, isOnPath: true }],
    ['with only system programs on PATH', { hasService: false, isOnPath: false }],
  ])('is not executed by hob doctor %s', async (_how, { hasService, isOnPath }) => {
    const { planted, home, scripts, own, system, env } = await plantedMachine();
    if (hasService) await startHob({ home, scripts: [scripts] });
    const { code, stdout, stderr } = await runCli(
      ['doctor', '--json', '--home', home],
      // The system's PATH lacks only the program that one script needs.
      isOnPath ? env : { ...env, PATH: system },
      { cwd: own },
    ).ended;
    expect(await planted.marks()).toEqual([]);
    expect(stderr).toBe('');
    const { findings }: { findings: Finding[] } = JSON.parse(stdout);
    const said = (area: string) =>
      findings
        .filter((finding) => finding.area === area)
        .map(({ what }) => what)
        .join('\n');
    expect(said('runtimes')).toContain(`python ${realPython().version} (${join(system, 'python3')})`);
    expect(said('runtimes')).toContain(`node.js ${process.versions.node} (${process.execPath})`);
    expect(said('runtimes')).toMatch(/^perl 5\.\d+\.\d+ /m);
    expect(said('runtimes')).toMatch(/^bash \d+\.\d+\.\d+ /m);
    expect(said('tools')).toMatch(/^git \d+\.\d+/m);
    expect(said('tools')).toContain('npm 10.8.2');
    expect(said('scripts')).toContain('5 scripts loaded');
    for (const area of ['runtimes', 'tools'])
      expect(said(area).includes(`never starts them: "${own}"`), area).toBe(isOnPath);
    const problems = findings.filter(({ state }) => state === 'problem').map(({ what }) => what);
    expect(problems).toEqual(isOnPath ? [] : [expect.stringContaining('needs the program "needed-program"')]);
    expect(code).toBe(isOnPath ? 0 : 1);
  });

  it.each([
    ['without a service', false],
    ['while the service runs', true],
  ])('is not executed by hob check %s', async (_how, hasService) => {
    const { planted, home, scripts, env, folders } = await plantedMachine();
    if (hasService) await startHob({ home, scripts: [scripts] });
    for (const folder of folders) {
      const here = await runCli(['check', '--json'], { ...env, HOB_HOME: home }, { cwd: folder }).ended;
      expect({ code: here.code, stderr: here.stderr }, here.stdout).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(here.stdout)).toMatchObject({ script: expect.anything(), errors: 0 });
    }
    expect(await planted.marks()).toEqual([]);
  });
});

describe('the Python in the folder of a script', () => {
  /** The script findings of hob doctor for a script with this environment. */
  async function doctorOn(
    fill: (venv: string, planted: Planted) => Promise<unknown>,
    languageVersion = '>=3.8',
  ): Promise<{ code: number | null; findings: Finding[]; venv: string }> {
    const root = await tempFolder();
    const home = join(root, 'home');
    await mkdir(home, { mode: 0o700 });
    const planted = new Planted(join(root, 'mark'));
    const runtime = `language_version = "${languageVersion}"`;
    await writeScript(join(home, 'scripts'), 'one', { language: 'python', entry: ['main.py', ''], runtime });
    const venv = join(home, 'scripts', 'one', '.venv');
    await mkdir(join(venv, 'bin'), { recursive: true });
    await fill(venv, planted);
    const bin = join(root, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'python3'), "#!/bin/sh\nprintf '3.9.0\\n\\n'\n", { mode: 0o755 });
    const { code, stdout } = await runCli(['doctor', '--json', '--home', home], { HOB_PORT: '0', PATH: bin })
      .ended;
    expect(await planted.marks()).toEqual([]);
    const { findings }: { findings: Finding[] } = JSON.parse(stdout);
    return {
      code,
      venv,
      findings: findings.filter(({ area, state }) => area === 'scripts' && state !== 'ok'),
    };
  }

  it.each([
    ['version = 3.11.2', '>=3.11.2'],
    ['home = /usr/bin\nVersion_Info = 3.12.1.final.0', '~=3.12'],
    ['version = 3.11', '>=3.8'],
  ])('has the version that its pyvenv.cfg says (%j)', async (config, wanted) => {
    const { code, findings } = await doctorOn(async (venv, planted) => {
      await planted.program(join(venv, 'bin', 'python'));
      await writeFile(join(venv, 'pyvenv.cfg'), `${config}\n`);
    }, wanted);
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
  });

  it('of an unsuitable version is a problem', async () => {
    const { code, findings, venv } = await doctorOn(async (folder, planted) => {
      await planted.program(join(folder, 'bin', 'python'));
      await writeFile(join(folder, 'pyvenv.cfg'), 'version = 3.6.9\n');
    });
    expect(code).toBe(1);
    expect(findings).toMatchObject([
      {
        state: 'problem',
        what: `"one": The script needs python >=3.8, but only 3.6.9 (${join(venv, 'bin', 'python')}) is installed`,
      },
    ]);
  });

  it('without a pyvenv.cfg has the version in the name of its link target', async () => {
    const fill = async (venv: string, planted: Planted) => {
      await planted.program(join(venv, '..', '..', '..', '..', 'usr', 'python3.7'));
      await symlink('../../../../../usr/python3.7', join(venv, 'bin', 'python'));
    };
    expect((await doctorOn(fill)).findings).toMatchObject([
      { state: 'problem', what: expect.stringContaining('but only 3.7 (') },
    ]);
    expect((await doctorOn(fill, '>=3.6')).findings).toEqual([]);
    expect((await doctorOn(fill, '>=3.7.4')).findings).toMatchObject([
      { state: 'note', what: expect.stringContaining('was not checked') },
    ]);
  });

  it('is not checked if no file contains its version', async () => {
    const { code, findings, venv } = await doctorOn((folder, planted) =>
      planted.program(join(folder, 'bin', 'python')),
    );
    expect(code).toBe(0);
    expect(findings).toMatchObject([
      {
        state: 'note',
        what: expect.stringContaining(`"one": The Python in ${venv} was not checked`),
        next: 'Run the script to see whether it works.',
      },
    ]);
  });

  it('that is gone is a problem', async () => {
    const { code, findings } = await doctorOn((venv) =>
      symlink('/nowhere/python3', join(venv, 'bin', 'python')),
    );
    expect(code).toBe(1);
    expect(findings).toMatchObject([{ state: 'problem', what: expect.stringContaining('does not start') }]);
  });
});
