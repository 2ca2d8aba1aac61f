import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import { describe, expect, it, onTestFinished } from 'vitest';

import { type TarEntry, tarOf } from '../support/archives.ts';
import { type Hob, runCli, startHob, tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const secret = 'sk-THE-secret-value';
const secretParam = '[[service.params]]\nname = "key"\ntype = "str"\nsecret = true\n';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

async function smallDisk(kibibytes: number): Promise<string> {
  const folder = await tempFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=700`, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

/** A home with scripts inside and outside of it, settings and runs, and the service that runs in it. */
async function fullHome() {
  const [home, more, target] = [await tempFolder(), await tempFolder(), await tempFolder()];
  const scripts = join(home, 'scripts');
  const counted = await writeScript(scripts, '字数 统计', {
    language: 'python',
    entry: python('print("你好"); write({"code": 0, "msg": "完成", "key": len(run["params"]["key"])})'),
    tables: secretParam,
  });
  const grouped = await writeScript(join(scripts, 'group'), 'inner', {
    entry: bash('echo oops >&2; exit 3'),
  });
  const outside = await writeScript(more, '外面 的', { entry: bash('./tool') });
  await writeFile(join(more, '外面 的', 'tool'), '#!/bin/sh\necho tool\n');
  await chmod(join(more, '外面 的', 'tool'), 0o755);
  await writeScript(more, 'group', { entry: bash('echo the other group') });
  await mkdir(join(more, 'not a script'));
  await writeFile(join(more, 'not a script', 'large.bin'), 'x');
  await mkdir(join(scripts, 'group', 'empty'));
  await mkdir(join(scripts, 'group', '.venv'));
  await symlink('/etc/passwd', join(scripts, 'group', 'link'));
  const settings = `# mine\nport = 0\nmax_runs = 3 # 三\nscripts = ["${more}"]\ntoken = false\n`;
  const hob = await startHob({ home, settings });
  expect((await hob.run(counted, { params: { key: secret } })).body).toMatchObject({ success: true });
  expect((await hob.run(grouped)).body).toMatchObject({ exit_code: 3 });
  expect((await hob.run(outside)).body).toMatchObject({ stdout: 'tool\n' });
  return { hob, home, more, file: join(target, '导出 file.tar.gz'), ids: { counted, grouped, outside } };
}

async function runsOf(hob: Hob) {
  const { items } = (await hob.get('/api/runs?limit=100')).body;
  const ids: string[] = Object(items).map(({ run_id }: { run_id: string }) => run_id);
  return Promise.all(
    ids.map(async (id) => ({
      record: await until(`all is known about ${id}`, async () => {
        const { body } = await hob.get(`/api/runs/${id}`);
        return body.left_running === null ? false : body;
      }),
      stdout: await (await fetch(`${hob.url}/api/runs/${id}/stdout`)).text(),
      stderr: await (await fetch(`${hob.url}/api/runs/${id}/stderr`)).text(),
    })),
  );
}

const hob = (...args: string[]) => runCli(args).ended;

describe('an export', () => {
  it('moves scripts, settings and runs of a running service to a new home', async () => {
    const { hob: old, home, more, file, ids } = await fullHome();
    const waiting = await writeScript(join(home, 'scripts'), 'wait', {
      entry: bash(`while [ ! -e "${home}/go" ] && [ -d "${home}" ]; do sleep 0.02; done`),
    });
    const source = await tempFolder();
    await writeScript(source, 'packaged', { name: '包 A' });
    expect((await hob('install', join(source, 'packaged'), '--no-prepare', '--home', home)).code).toBe(0);
    const token = (await hob('token', '--home', home)).stdout.trim();
    const choose = (id: string, choice: object) =>
      old.send('PUT', `/api/agents/scripts/${id}`, JSON.stringify(choice));
    expect((await choose(ids.counted, { offered: false })).status).toBe(200);
    expect((await choose(ids.outside, { offered: true, asks: true })).status).toBe(200);
    const before = await runsOf(old);
    const unfinished = String((await old.post('/api/execute', { script_id: waiting })).body.run_id);
    const exported = await hob('export', file, '--home', home);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).toContain(`${file}\n5 scripts, 3 runs, the source of 1 package, `);
    expect(exported.stdout).toContain('settings.toml: scripts: belongs to this machine');
    expect(exported.stdout).toContain('scripts/group/link: is a symbolic link');
    expect(exported.stdout).toContain('such as scripts/group/.venv');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const content = gunzipSync(await readFile(file));
    for (const absent of [secret, token, unfinished, more, 'not a script', 'root:'])
      expect(content.includes(absent)).toBe(false);
    await writeFile(join(home, 'go'), '');
    await old.ended(unfinished);

    const target = join(await tempFolder(), 'new home');
    const imported = await hob('import', file, '--home', target);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout).toMatch(
      /:\n {2}5 script folders\n {2}3 runs\n {2}the settings\nPackages to install/,
    );
    expect(imported.stdout).toMatch(
      /\n {2}hob install \S*packaged {3}# 包 A, copy it from the old machine first\n$/,
    );
    expect((await stat(target)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(target, 'settings.toml'), 'utf8')).toBe(
      '# mine\nport = 0\nmax_runs = 3 # 三\ntoken = false\n',
    );
    expect((await readdir(join(target, 'scripts'))).toSorted()).toEqual(
      ['group', 'group-2', 'wait', '外面 的', '字数 统计'].toSorted(),
    );
    const fresh = await startHob({ home: target });
    expect(await runsOf(fresh)).toEqual(before);
    expect((await fresh.get('/api/scripts')).body).toMatchObject({ problems: [] });
    expect((await fresh.run(ids.outside)).body).toMatchObject({ stdout: 'tool\n' });
    const agents = Object((await fresh.get('/api/agents')).body).scripts;
    const agentScript = (id: string) =>
      agents.find(({ script_id }: { script_id: string }) => script_id === id);
    expect(agentScript(ids.counted)).toMatchObject({ offered: false, asks: false });
    expect(agentScript(ids.outside)).toMatchObject({ offered: true, asks: true });
    const found = await until('the imported runs can be searched', async () => {
      const { items } = (await fresh.get(`/api/runs?q=${encodeURIComponent('完成')}`)).body;
      return Object(items).length > 0 ? items : false;
    });
    expect(found).toMatchObject([{ script_id: ids.counted, params: { key: '***' } }]);
    const again = await fresh.run(ids.counted, { params: { key: secret } });
    expect(again.body).toMatchObject({ result: { msg: '完成' } });
  });

  it('of a stopped service replaces an existing file only with --force', async () => {
    const { hob: old, home, file } = await fullHome();
    await old.stop();
    await writeFile(file, 'precious');
    const refused = await hob('export', file, '--home', home);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^hob: .* already exists\. Use --force to replace it/);
    expect(await readFile(file, 'utf8')).toBe('precious');
    const { stdout } = await hob('export', file, '--home', home, '--force', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ file, counts: { scripts: 4, runs: 3, packages: 0 } });
    expect((await readFile(file))[0]).toBe(0x1f);
  });

  it('names the file if the target is a folder, and needs an existing home and folder', async () => {
    const [home, folder] = [await tempFolder(), await tempFolder()];
    expect((await hob('export', folder, '--home', home)).code).toBe(0);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^hob-\d{4}-\d\d-\d\d\.tar\.gz$/)]);
    expect((await hob('export', join(folder, 'no', 'x'), '--home', home)).stderr).toContain('does not exist');
    expect((await hob('export', join(folder, 'x'), '--home', join(home, 'no'))).stderr).toContain(
      'does not exist',
    );
  });

  it.skipIf(!canMount)('that does not fit on the disk leaves nothing behind', async () => {
    const home = await tempFolder();
    await writeScript(join(home, 'scripts'), 'large');
    const noise = execFileSync('head', ['-c', '2000000', '/dev/urandom'], { maxBuffer: 4_000_000 });
    await writeFile(join(home, 'scripts', 'large', 'noise'), noise);
    const disk = await smallDisk(500);
    const { code, stderr } = await hob('export', join(disk, 'x.tar.gz'), '--home', home);
    expect({ code, left: await readdir(disk) }).toEqual({ code: 1, left: [] });
    expect(stderr).toMatch(/\(ENOSPC\)\. Nothing was exported\. .*free space/);
  });
});

describe('an import', () => {
  it('into a home that is not empty needs --merge, which overwrites nothing', async () => {
    const { home, file, ids } = await fullHome();
    expect((await hob('export', file, '--home', home)).code).toBe(0);
    const target = await tempFolder();
    await writeScript(join(target, 'scripts'), 'group', { name: 'Mine' });
    await writeScript(join(target, 'scripts'), 'other name', { id: ids.counted });
    await writeFile(join(target, 'settings.toml'), 'max_runs = 9\n');
    const refused = await hob('import', file, '--home', target);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^hob: The home .* is not empty\. Use --merge/);
    expect((await readdir(join(target, 'scripts'))).toSorted()).toEqual(['group', 'other name']);

    const { stdout } = await hob('import', file, '--home', target, '--merge', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      scripts: ['group-2', '外面 的'],
      runs: 3,
      settings: false,
      skipped: [
        { what: 'scripts/group', why: 'this home already has it' },
        { what: 'scripts/字数 统计', why: expect.stringContaining('already has a script with the id') },
        { what: 'settings.toml', why: 'this home already has it' },
      ],
    });
    expect(await readFile(join(target, 'scripts', 'group', 'script.toml'), 'utf8')).toContain('Mine');
    expect(await readFile(join(target, 'settings.toml'), 'utf8')).toBe('max_runs = 9\n');
    const again = JSON.parse((await hob('import', file, '--home', target, '--merge', '--json')).stdout);
    expect(again).toMatchObject({ scripts: [], runs: 0, settings: false });
    expect(again.skipped).toContainEqual({ what: 'runs', why: 'this home already has 3 of them' });
  });

  const triggersFile = `# mine
[[trigger]]
id = "night" # 每晚
script = "xxx"
kind = "schedule"
cron = "30 2 * * *"

[[trigger]]
id = "push"
script = "xxx"
kind = "webhook"
secret = "github-hook"
enabled = false
`;

  it('brings triggers along, switched off, and without secrets', async () => {
    const [home, target, folder] = [await tempFolder(), await tempFolder(), await tempFolder()];
    await writeFile(join(home, 'triggers.toml'), triggersFile);
    const file = join(folder, 'x.tar.gz');
    expect((await hob('export', file, '--home', home)).code).toBe(0);
    const { stdout } = await hob('import', file, '--home', target);
    expect(stdout).toContain('  2 triggers, all of them switched off\n');
    expect(stdout).toMatch(/: hob triggers resume night\n/);
    expect(stdout).toContain('Store it again: hob secret set github-hook\n');
    expect(await readFile(join(target, 'triggers.toml'), 'utf8')).toBe(
      triggersFile.replace('"30 2 * * *"\n', '"30 2 * * *"\nenabled = false\n'),
    );
    expect((await stat(join(target, 'triggers.toml'))).mode & 0o777).toBe(0o600);
    const again = await hob('import', file, '--home', target);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty. Use --merge') });
  });

  it('contains no secret params, neither of triggers nor of a run that waits for its next attempt', async () => {
    const [home, folder] = [await tempFolder(), await tempFolder()];
    await writeScript(join(home, 'scripts'), 'keyed', {
      name: 'Keyed',
      runtime: 'retries = { attempts = 2, backoff = "1h" }',
      tables: `${secretParam}[[service.params]]\nname = "mode"\ntype = "str"\n`,
      entry: bash('exit 3'),
    });
    const service = await startHob({ home });
    const params = { key: secret, mode: 'fast' };
    const fields = { script: 'keyed', kind: 'schedule', every: '366d', params };
    expect((await service.send('PUT', '/api/triggers/yearly', JSON.stringify(fields))).status).toBe(200);
    const gone = `\n# Gone.\n[[trigger]]\nid = "gone"\nscript = "gone"\nkind = "schedule"\nevery = "1h"\nparams = { key = "${secret}" }\n`;
    await appendFile(join(home, 'triggers.toml'), gone);
    const { body } = await service.send('POST', '/api/scripts/keyed/runs', JSON.stringify({ params }));
    await until('the second attempt is due', async () => {
      const { next_attempt_at } = (await service.get(`/api/runs/${body.run_id}`)).body;
      return next_attempt_at !== null;
    });
    const kept = join(home, 'runs', String(body.run_id), 'secrets.json');
    expect(await readFile(kept, 'utf8')).toContain(secret);

    const file = join(folder, 'x.tar.gz');
    const { stdout } = await hob('export', file, '--home', home);
    expect(stdout).toContain('triggers.toml: yearly: secret params are not exported');
    expect(stdout).toContain('triggers.toml: gone: params of a script that does not exist may be secret');
    const content = gunzipSync(await readFile(file));
    expect(content.includes(secret)).toBe(false);
    const target = await tempFolder();
    await hob('import', file, '--home', target);
    const imported = await readFile(join(target, 'triggers.toml'), 'utf8');
    expect(imported).toMatch(/id = "yearly"[^[]*mode = "fast"[^[]*\n# Gone\.\n\[\[trigger\]\]/);
  });

  it('with --merge keeps the triggers of the home, and adds those with new ids', async () => {
    const [home, target, folder] = [await tempFolder(), await tempFolder(), await tempFolder()];
    await writeFile(join(home, 'triggers.toml'), triggersFile);
    const file = join(folder, 'x.tar.gz');
    await hob('export', file, '--home', home);
    const own = '# 我的\n[[trigger]]\nid = "push"\nscript = "mine"\nkind = "schedule"\nevery = "1h"\n';
    await writeFile(join(target, 'triggers.toml'), own);
    const { stdout } = await hob('import', file, '--home', target, '--merge', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      triggers: { ids: ['night'], were_on: ['night'], secrets: [] },
      skipped: [{ what: 'triggers.toml: push', why: 'this home already has a trigger with this id' }],
    });
    const text = await readFile(join(target, 'triggers.toml'), 'utf8');
    expect(text.startsWith(own)).toBe(true);
    expect(text).toMatch(/id = "night"[\s\S]*enabled = false\n$/);

    await writeFile(join(target, 'triggers.toml'), '# nothing yet\n');
    await hob('import', file, '--home', target, '--merge');
    expect(await readFile(join(target, 'triggers.toml'), 'utf8')).toMatch(
      /^# nothing yet\n[\s\S]*id = "night"[\s\S]*enabled = false[\s\S]*id = "push"/,
    );

    await writeFile(join(target, 'triggers.toml'), 'broken =\n');
    const refused = JSON.parse((await hob('import', file, '--home', target, '--merge', '--json')).stdout);
    expect(refused.skipped).toMatchObject([
      { what: 'triggers.toml', why: expect.stringContaining('Not valid TOML') },
    ]);
    expect(await readFile(join(target, 'triggers.toml'), 'utf8')).toBe('broken =\n');
  });

  it('asks to stop a running service first', async () => {
    const { home, file } = await fullHome();
    await hob('export', file, '--home', home);
    const { code, stderr } = await hob('import', file, '--home', home, '--merge');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `hob: Hob is running in the home ${home}. Stop it with \`hob stop\`, then import.\n`,
    });
  });

  it('that is killed can be repeated', async () => {
    const { hob: old, home, file } = await fullHome();
    await old.stop();
    await writeFile(join(home, 'scripts', 'group', 'zeros'), Buffer.alloc(200_000_000));
    await hob('export', file, '--home', home);
    const target = await tempFolder();
    const { child, ended } = runCli(['import', file, '--home', target]);
    const staged = async () => (await readdir(target)).some((name) => name.startsWith('.import-'));
    await until('the import unpacks', staged);
    child.kill('SIGKILL');
    await ended;
    expect(await staged()).toBe(true);
    expect((await hob('import', file, '--home', target, '--merge')).code).toBe(0);
    expect(await staged()).toBe(false);
    expect((await readdir(join(target, 'runs'))).toSorted()).toEqual(
      (await readdir(join(home, 'runs'))).toSorted(),
    );
    expect(await readdir(join(target, 'scripts'))).toHaveLength(4);
  });

  it('of settings that this release does not accept skips them', async () => {
    const home = await tempFolder();
    const content = [manifest(), { name: 'settings.toml', content: 'port = 5\nfrom_the_future = 1\n' }];
    const { stdout, code } = await importOf(gzipSync(tarOf(content)), home);
    expect(code).toBe(0);
    expect(stdout).toContain('\n  settings.toml: settings.toml: unknown setting from_the_future; ');
    expect(await readdir(home)).not.toContain('settings.toml');
  });

  it.skipIf(!canMount)('that does not fit on the disk leaves the home empty', async () => {
    const home = await smallDisk(1000);
    const content = [manifest(), { name: 'scripts/a/zeros', content: Buffer.alloc(3_000_000) }];
    const { code, stderr } = await importOf(gzipSync(tarOf(content)), home);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\(ENOSPC\)\. Nothing was imported\. .*free space/);
    expect(await contentOf(home)).toEqual({ staged: [], scripts: [], runs: [] });
  });

  it.each<[what: string, archive: () => Buffer, said: RegExp]>([
    ['no archive', () => Buffer.from('a letter'), /is not an export of Hob\. Create one with: hob export/],
    ['nothing', () => Buffer.alloc(0), /is not an export of Hob/],
    ['another archive', () => gzipSync(tarOf([{ name: 'x', content: 'y' }])), /is not an export of Hob/],
    [
      'half an archive',
      () => truncated(gzipSync(tarOf([manifest(), noise]))),
      /truncated[\s\S]*Nothing was imported/,
    ],
    [
      'a path out of the home',
      () => withEntry({ name: '../../evil', content: 'x' }),
      /leads out of the package/,
    ],
    ['an absolute path', () => withEntry({ name: '/tmp/evil', content: 'x' }), /absolute path/],
    [
      'a symbolic link',
      () => withEntry({ name: 'scripts/a', type: '2', link: '/etc' }),
      /is a symbolic link/,
    ],
    [
      'a newer format',
      () => gzipSync(tarOf([manifest({ format: 2 })])),
      /newer Hob \(format 2; .*Upgrade Hob/,
    ],
    [
      'a broken record',
      () => withEntry({ name: `runs/${runId}.json`, content: '{"a":1}' }),
      /is not valid\. Nothing/,
    ],
  ])('of %s is refused with a reason, and adds nothing', async (_what, archive, said) => {
    const home = await tempFolder();
    const { code, stdout, stderr } = await importOf(archive(), home);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(said);
    expect(await contentOf(home)).toEqual({ staged: [], scripts: [], runs: [] });
  });

  it('of a file that does not exist says so', async () => {
    const home = await tempFolder();
    expect((await hob('import', join(home, 'no.tar.gz'), '--home', home)).stderr).toMatch(
      /no\.tar\.gz does not exist\.\n$/,
    );
  });
});

const runId = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
const noise = {
  name: 'scripts/noise',
  content: Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * n * 31) % 251)),
};

function manifest(changes: Record<string, unknown> = {}): TarEntry {
  const counts = { scripts: 0, packages: 0, runs: 0 };
  const value = {
    format: 1,
    hob: '0.1.0',
    exported_at: '2026-05-01T12:00:00.000Z',
    counts,
    packages: [],
    ...changes,
  };
  return { name: 'export.json', content: JSON.stringify(value) };
}

function withEntry(entry: TarEntry): Buffer {
  return gzipSync(tarOf([manifest(), entry]));
}

function truncated(archive: Buffer): Buffer {
  return archive.subarray(0, archive.length / 2);
}

async function importOf(archive: Buffer, home: string) {
  const file = join(await tempFolder(), 'x.tar.gz');
  await writeFile(file, archive);
  return hob('import', file, '--home', home);
}

async function contentOf(home: string) {
  const names = await readdir(home);
  const inside = (name: string) => readdir(join(home, name)).catch(() => []);
  return {
    staged: names.filter((name) => name.startsWith('.import-')),
    scripts: await inside('scripts'),
    runs: await inside('runs'),
  };
}
