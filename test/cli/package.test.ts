import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { describe, expect, it } from 'vitest';

import { runCli, tempFolder } from '../support/hob.ts';
import { startPackageService } from '../support/package-service.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
const otherId = '2f0c5c5e-0000-4b0e-9d0e-3f2d6a1f7c12';
const resize = {
  script_id: id,
  name: '图片放大 🖼',
  version: '1.0.0',
  description: null,
  installed_at: '2026-05-01T12:00:00.000Z',
  source: {
    kind: 'git',
    location: 'https://git.test/ada/scripts.git',
    ref: 'v1',
    path: 'resize',
    commit: '0123456789abcdef',
  },
  previous: { version: '0.9.0', installed_at: '2026-04-01T12:00:00.000Z' },
  state: 'ready',
};
const other = {
  ...resize,
  script_id: otherId,
  name: 'Other',
  version: null,
  previous: null,
  state: 'broken',
};
const done = {
  state: 'done',
  stage: null,
  script_id: id,
  script_name: resize.name,
  version: '1.0.0',
  ended_at: '2026-05-01T12:00:07.000Z',
};

/** A fake service with installed packages, and the command that uses it. */
async function open(packages: Record<string, unknown>[] = []) {
  const service = await startPackageService();
  service.packages.push(...packages);
  const source = join(await tempFolder(), 'my script');
  await mkdir(source);
  const hob = (...args: string[]) => runCli([...args, '--home', service.home]);
  return { ...service, source, hob };
}

type Cli = ReturnType<typeof runCli>;

/** Waits until a command has written something to stderr. */
function printed({ output }: Cli, text: string): Promise<unknown> {
  return until(`it says ${text}`, async () => output.stderr.includes(text));
}

describe('commands about packages', () => {
  it.each([
    [['install']],
    [['install', '']],
    [['install', '.', 'more']],
    [['install', '.', '--colour']],
    [['update', 'x', '--all']],
    [['update', '--all', '--ref', 'v1']],
    [['update', 'x', 'y', '--from', '.']],
    [['rollback']],
    [['uninstall']],
    [['packages', 'x']],
    [['prepare']],
    [['environments', 'rm']],
    [['environments', 'rm', 'a', 'b']],
    [['doctor', 'x']],
    [['check', 'a', 'b']],
    [['pack', 'a', 'b']],
  ])('%j is a usage error: 2', async (args) => {
    const { code, stdout } = await runCli(args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('report that no service runs', async () => {
    const home = await tempFolder();
    const calls = [
      ['install', '.'],
      ['update', 'x'],
      ['rollback', 'x'],
      ['uninstall', 'x'],
      ['packages'],
      ['prepare', 'x'],
    ];
    for (const args of [...calls, ['environments'], ['environments', 'rm', 'abcd']]) {
      const { code, stdout, stderr } = await runCli([...args, '--home', home]).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`Hob is not running (home: ${home}).`);
    }
  });
});

describe('hob install', () => {
  it('shows each stage and the log of the environment, and finally how to run the script', async () => {
    const { source, url, hob, asked, begun, step, write, endLog } = await open();
    const cli = hob('install', source);
    const operation = await begun(1);
    await printed(cli, `${source}: fetching ...\n`);
    step(operation, { stage: 'checking', script_name: resize.name, version: '1.0.0' });
    await printed(cli, '图片放大 🖼 1.0.0: checking ...\n');
    step(operation, { stage: 'preparing', run_id: 'a-run' });
    write('stdout', 'Collecting six\n');
    await printed(cli, '  | Collecting six\n');
    write('stderr', '\u001b[31mwarning:\u001b[0m old pip\n 10%\r 50%\rfinished');
    await printed(cli, '  | warning: old pip\n');
    endLog();
    step(operation, { ...done, warnings: ['It needs the script x, which is not here.'] });
    const { code, stdout, stderr } = await cli.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('  | finished\n');
    expect(stderr).toContain('Note: It needs the script x, which is not here.\n');
    const body = '{"data":{"images":["..."]},"wait_s":60}';
    expect(stdout).toBe(
      `Installed 图片放大 🖼 1.0.0 (id ${id})\nRun it: hob run tu-pian-fang-da <images>\nOver HTTP: curl -sS ${url}/api/scripts/tu-pian-fang-da/runs -H 'Content-Type: application/json' -d '${body}'\n`,
    );
    expect(asked).toEqual([['POST /api/packages/install', { source, prepare: true }]]);
  });

  it('passes on URL, branch, folder and --no-prepare', async () => {
    const { hob, asked, begun, step } = await open();
    const address = 'git@git.test:ada/scripts.git';
    const cli = hob('install', address, '--ref', 'v1', '--path', 'a/b', '--no-prepare');
    step(await begun(1), done);
    expect(await cli.ended).toMatchObject({ code: 0 });
    expect(asked).toEqual([
      ['POST /api/packages/install', { source: address, ref: 'v1', path: 'a/b', prepare: false }],
    ]);
  });

  it('prints the finished operation as JSON', async () => {
    const { source, hob, begun, step } = await open();
    const cli = hob('install', source, '--json');
    step(await begun(1), done);
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ...done, kind: 'install' });
  });

  it('reports why it failed, with all problems, their lines and advice', async () => {
    const { source, hob, begun, step } = await open();
    const cli = hob('install', source);
    const problem = {
      severity: 'error',
      file: 'script.toml',
      line: 12,
      message: 'version is no text\u001b[2J',
      advice: 'Put it in quotes.',
    };
    const note = {
      severity: 'note',
      file: 'script.toml',
      line: 3,
      message: 'unknown key colour',
      advice: '',
    };
    const error = { code: 'package-broken', message: 'The package has errors.', hint: 'Mend them first.' };
    step(await begun(1), { state: 'failed', stage: null, problems: [problem, note], error });
    const { code, stdout, stderr } = await cli.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      'script.toml:3   note   unknown key colour\nscript.toml:12  error  version is no text?[2J\n    Put it in quotes.\n',
    );
    expect(stderr).toContain(
      `hob: ${source} could not be installed: The package has errors.\nMend them first.\n`,
    );
  });

  it('reports a missing source immediately', async () => {
    const { hob, asked } = await open();
    const missing = await hob('install', './not-here.zip').ended;
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^hob: \/.*not-here\.zip does not exist\.\n$/);
    expect((await hob('install', 'git.test/ada/scripts').ended).stderr).toContain(
      'https://git.test/ada/scripts',
    );
    expect(asked).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('cancels the operation on %s', async (signal, exitCode) => {
    const { source, hob, asked, begun, step } = await open();
    const cli = hob('install', source);
    const operation = await begun(1);
    step(operation, { stage: 'preparing', run_id: 'a-run' });
    await printed(cli, 'preparing');
    cli.child.kill(signal);
    const { code, stderr } = await cli.ended;
    expect(code).toBe(exitCode);
    expect(stderr).toContain(`hob: Cancelled the installation of ${source}. Nothing was installed.`);
    expect(asked.at(-1)?.[0]).toBe(`POST /api/packages/operations/${operation}/cancel`);
  });

  it('reports that the service is gone', async () => {
    const { source, hob, begun, stop } = await open();
    const cli = hob('install', source);
    await begun(1);
    await printed(cli, 'fetching');
    stop();
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('hob: No response from Hob at');
  });

  it.runIf(hasTerminal)('is one line on a terminal, below the log', async () => {
    const { source, home, begun, step, write, endLog } = await open();
    const session = runInTerminal(['install', source, '--home', home]);
    const operation = await begun(1);
    step(operation, { entries_done: 12, bytes_done: 3_400_000, script_name: 'Resize', version: '1.0.0' });
    const last = (text: string) =>
      until(`the last line has ${text}`, async () => session.lines().at(-1)?.includes(text));
    await last('Resize 1.0.0: fetching, 12 files, 3.4 MB');
    step(operation, { stage: 'preparing', run_id: 'a-run' });
    await last('preparing the environment ...');
    write('stdout', 'one\ntwo\n');
    await until('the log is there', async () => session.lines().some((line) => line.includes('  | two')));
    await last('Resize 1.0.0: preparing the environment ...');
    expect(session.written()).toContain('\u001b[2m  | one');
    endLog();
    step(operation, done);
    expect(await session.ended).toBe(0);
    const plain = session.lines().map((line) => stripVTControlCharacters(line));
    expect(plain.slice(0, 3)).toEqual(['  | one', '  | two', `Installed 图片放大 🖼 1.0.0 (id ${id})`]);
  });

  it.runIf(hasTerminal)('stops when Ctrl-C is typed, and removes the line', async () => {
    const { source, home, begun } = await open();
    const session = runInTerminal(['install', source, '--home', home]);
    await begun(1);
    await until('it is drawn', async () => session.lines().at(-1)?.includes('fetching'));
    session.type('\u0003');
    expect(await session.ended).toBe(130);
    expect(session.lines().slice(0, 1)).toEqual(['Stopping ...']);
    expect(session.written()).toContain('Nothing was installed.');
  });
});

describe('hob update', () => {
  it.each([
    ['by its name', resize.name],
    ['by its id', id.toUpperCase()],
    ['by the beginning of its id', '2f0c5c5e-8'],
  ])('finds a script %s, and says how to roll back', async (_how, wanted) => {
    const { hob, packages, asked, begun, step } = await open([resize, other]);
    const cli = hob('update', wanted, '--ref', 'v2');
    const operation = await begun(1);
    const previous = { version: '1.0.0', installed_at: resize.installed_at };
    packages[0] = { ...resize, version: '1.1.0', installed_at: '2026-05-02T12:00:00.000Z', previous };
    step(operation, { ...done, version: '1.1.0' });
    const { code, stdout } = await cli.ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Updated 图片放大 🖼 to 1.1.0 (was 1.0.0).\nTo roll back: hob rollback ${id}\n`,
    });
    expect(asked).toEqual([[`POST /api/packages/${id}/update`, { ref: 'v2', prepare: true }]]);
  });

  it('does not mention a rollback if there is no previous version', async () => {
    const { hob, source, packages, begun, step } = await open([
      { ...resize, version: null, installed_at: null, state: 'broken' },
    ]);
    const cli = hob('update', '2f0c', '--from', source);
    const operation = await begun(1);
    packages[0] = { ...resize, previous: null };
    step(operation, done);
    expect(await cli.ended).toMatchObject({ code: 0, stdout: 'Updated 图片放大 🖼 to 1.0.0.\n' });
  });

  it('accepts another source, and reports a failure', async () => {
    const { hob, source, asked, begun, step } = await open([resize]);
    const cli = hob('update', '2f0c', '--from', source, '--no-prepare');
    step(await begun(1), {
      state: 'failed',
      error: { code: 'package-broken', message: 'It is broken.', hint: '' },
    });
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('hob: 图片放大 🖼 could not be updated: It is broken.\n');
    expect(asked).toEqual([[`POST /api/packages/${id}/update`, { source, prepare: false }]]);
  });

  it('reports that there is no newer version', async () => {
    const { hob, begun, step } = await open([resize]);
    const cli = hob('update', '2f0c');
    step(await begun(1), { ...done, warnings: ['It is up to date.'] });
    const { stdout, stderr } = await cli.ended;
    expect(stdout).toBe('图片放大 🖼 is unchanged at 1.0.0.\n');
    expect(stderr).toContain('Note: It is up to date.\n');
  });

  it('without a script is a usage error and lists the installed scripts', async () => {
    const { hob, asked } = await open([resize, other]);
    const { code, stderr } = await hob('update').ended;
    expect(code).toBe(2);
    expect(stderr).toContain(
      `Specify the scripts to update, or use --all. Installed scripts:\n  ${id}  图片放大 🖼\n  ${otherId}  Other\n`,
    );
    expect(asked).toEqual([]);
  });

  it('refuses ambiguous and unknown names', async () => {
    const { hob } = await open([resize, other]);
    const both = await hob('update', '2f0c5c5e').ended;
    expect(both).toMatchObject({ code: 1 });
    expect(both.stderr).toContain(
      'Several script ids begin with 2f0c5c5e. Use one of these: 2f0c5c5e-8, 2f0c5c5e-0',
    );
    for (const wanted of ['2f0', 'ffff', 'nobody']) {
      const { code, stderr } = await hob('update', wanted).ended;
      expect(code).toBe(1);
      expect(stderr).toContain(
        `No installed script matches "${wanted}". To list installed scripts: hob packages`,
      );
    }
  });

  it('updates all scripts, even if one update fails', async () => {
    const { hob, begun, step } = await open([resize, other]);
    const cli = hob('update', '--all', '--json');
    step(await begun(1), {
      state: 'failed',
      error: { code: 'package-fetch-failed', message: 'No network.', hint: '' },
    });
    step(await begun(2), { ...done, script_id: otherId, script_name: 'Other' });
    const { code, stdout, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ state: 'failed' }, { state: 'done' }], next: null });
    expect(stderr).toContain('图片放大 🖼 could not be updated: No network.\n');
    expect(stderr).toContain('hob: 1 of 2 scripts could not be updated.\n');
  });
});

describe('hob rollback', () => {
  it('reports the restored version', async () => {
    const { hob, begun, step } = await open([resize]);
    const cli = hob('rollback', '2f0c');
    step(await begun(1), { ...done, version: '0.9.0' });
    expect(await cli.ended).toMatchObject({
      code: 0,
      stdout: 'Rolled back 图片放大 🖼 to 0.9.0. Another rollback returns to the newer version.\n',
    });
  });
});

describe('hob uninstall', () => {
  it('requires --yes without a terminal', async () => {
    const { hob, asked } = await open([resize]);
    expect(await hob('uninstall', '2f0c').ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--yes'),
    });
    expect(asked).toEqual([]);
    expect(await hob('uninstall', '2f0c', '--yes').ended).toMatchObject({
      code: 0,
      stdout: 'Uninstalled 图片放大 🖼 1.0.0. Its files are kept until the runs that use them end.\n',
    });
    expect(asked).toEqual([[`DELETE /api/packages/${id}`, {}]]);
    expect((await hob('uninstall', 'nobody', '--yes').ended).stderr).toContain(
      'To list installed scripts: hob packages',
    );
  });

  it.runIf(hasTerminal)('shows what is removed, and removes it only after a yes', async () => {
    const { home, asked } = await open([resize]);
    for (const [keys, exitCode] of [
      ['n\r', 1],
      ['\u0004', 1],
      ['yes\r', 0],
    ] as const) {
      const session = runInTerminal(['uninstall', '2f0c', '--home', home]);
      await until('it asks', async () => session.written().includes('[y/N]'));
      expect(session.written()).toContain('and its previous version (0.9.0)');
      expect(session.written()).toContain('Active runs keep their files');
      session.type(keys);
      expect(await session.ended).toBe(exitCode);
    }
    expect(asked).toHaveLength(1);
  });
});

describe('hob packages', () => {
  it('prints a table', async () => {
    const { hob } = await open([resize, other]);
    const { stdout } = await hob('packages').ended;
    const [head, first, second, , sum] = stdout.split('\n');
    expect(head).toMatch(/^NAME {9}VERSION {5}ID {10}INSTALLED {9}SOURCE$/);
    expect(first).toMatch(
      /^图片放大 🖼 {2}1\.0\.0 {7}2f0c5c5e-8 {2}2026-05-01 \d\d:\d\d {2}https:\/\/git\.test\/ada\/scripts\.git#v1 resize \(0123456\)$/,
    );
    expect(second).toMatch(/^Other {8}- \(broken\) {2,}2f0c5c5e-0/);
    expect(sum).toBe('2 packages; 1 broken (see hob doctor)');
    expect(JSON.parse((await hob('packages', '--json').ended).stdout)).toEqual({
      items: [resize, other],
      next: null,
    });
  });

  it('says how to install a script if there is none', async () => {
    const { hob } = await open();
    expect((await hob('packages').ended).stdout).toContain('hob install');
  });
});

describe('hob prepare', () => {
  it('reports whether the environment had to be prepared', async () => {
    const { hob, begun, step, endLog } = await open([resize]);
    endLog();
    const first = hob('prepare', '2f0c');
    step(await begun(1), { ...done, run_id: 'a-run' });
    expect((await first.ended).stdout).toBe('The environment of 图片放大 🖼 1.0.0 is ready.\n');
    const second = hob('prepare', resize.name);
    step(await begun(2), done);
    expect((await second.ended).stdout).toBe('图片放大 🖼 1.0.0 is ready. There was nothing to prepare.\n');
  });
});

describe('hob environments', () => {
  const environment = {
    key: 'a1b2c3d4e5f6a1b2c3d4',
    kind: 'python',
    state: 'ready',
    bytes: 12_300_000,
    made_at: '2026-05-01T12:00:00.000Z',
    used_at: null,
    made_with: 'Python 3.11.7, pip',
    requirements: ['six==1.16.0'],
    scripts: [{ script_id: id, name: resize.name }],
  };

  it('lists environments, and removes one by a prefix of its key', async () => {
    const { hob, environments, asked } = await open();
    expect((await hob('environments').ended).stdout).toContain('There are no environments yet');
    environments.push(environment, {
      ...environment,
      key: 'a1b2ffff',
      kind: 'node',
      scripts: [],
      bytes: 7_700_000,
    });
    const { stdout } = await hob('environments').ended;
    expect(stdout).toBe(`KEY           KIND       SIZE  LAST USED  STATE  SCRIPTS
a1b2c3d4e5f6  python  12.3 MB  -          ready  图片放大 🖼
a1b2ffff      node     7.7 MB  -          ready  -

2 environments, 20.0 MB; 1 not needed by any script
`);
    expect((await hob('environments', 'rm', 'a1b2').ended).stderr).toContain(
      'Several keys begin with "a1b2". Use a longer prefix: ',
    );
    expect((await hob('environments', 'rm', 'a1').ended).stderr).toContain(
      'No environment has a key that begins',
    );
    expect(await hob('environments', 'rm', 'a1b2c').ended).toMatchObject({
      code: 0,
      stdout: `Removed the environment ${environment.key} and freed 1.5 MB.\n`,
    });
    expect(asked).toEqual([[`DELETE /api/environments/${environment.key}`, {}]]);
  });
});
