import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { runCli, startHob, tempFolder } from '../support/hob.ts';
import { python, writeScript } from '../support/scripts.ts';
import { makeWheel } from '../support/wheels.ts';

const run = promisify(execFile);

async function open() {
  const hob = await startHob();
  return {
    hob,
    command: async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli([...args, '--home', hob.home]).ended;
      return { code, stdout, stderr };
    },
  };
}

/** A folder with a script that prints its version. */
async function writeVersion(folder: string, id: string, version: string): Promise<void> {
  await writeScript(join(folder, '..'), folder.split('/').at(-1) ?? '', {
    id,
    name: '问候 one',
    language: 'python',
    entry: python(`write({"code": 0, "msg": "${version}"})`),
  });
  const manifest = join(folder, 'script.toml');
  await writeFile(
    manifest,
    (await readFile(manifest, 'utf8')).replace('name = ', `version = "${version}"\nname = `),
  );
}

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';

describe('the package commands with a real service', () => {
  it('check, pack, install, list, update, roll back and uninstall a script', async () => {
    const { hob, command } = await open();
    const folder = join(await tempFolder(), 'my script');
    await writeVersion(folder, id, '1.0.0');
    expect(await command('packages')).toMatchObject({ code: 0 });
    expect(await runCli(['check', folder]).ended).toMatchObject({ code: 0 });
    const packages = await tempFolder();
    expect(await runCli(['pack', folder, '-o', packages]).ended).toMatchObject({ code: 0 });
    const [name = ''] = await readdir(packages);
    expect(name).toMatch(/\.zip$/);

    const installed = await command('install', join(packages, name));
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.stdout).toContain(id);
    expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    expect((await command('packages')).stdout).toMatch(/问候 one\s+1\.0\.0/);
    const twice = await command('install', folder);
    expect(twice.code).toBe(1);
    expect(twice.stderr).toContain('hob update');

    await writeVersion(folder, id, '1.1.0');
    expect(await command('update', '问候 one', '--from', folder)).toMatchObject({ code: 0 });
    expect((await hob.run(id)).body).toMatchObject({ message: '1.1.0' });
    expect(await command('rollback', id.slice(0, 8))).toMatchObject({ code: 0 });
    expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    expect(await command('uninstall', id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await command('uninstall', id, '--yes')).toMatchObject({ code: 0 });
    expect((await hob.post('/api/execute', { script_id: id })).status).toBe(404);
    expect(JSON.parse((await command('packages', '--json')).stdout)).toMatchObject({ items: [] });
  });

  it('install and update from a git repository', async () => {
    const { hob, command } = await open();
    const repository = join(await tempFolder(), 'repository');
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=a', '-c', 'user.email=a@a', '-C', repository, ...args]);
    await mkdir(repository);
    await git('init', '-q');
    const commit = async (version: string) => {
      await writeVersion(join(repository, 'tools', 'greet'), id, version);
      await git('add', '-A');
      await git('commit', '-qm', version);
    };
    await mkdir(join(repository, 'tools'));
    await commit('1.0.0');
    expect(await command('install', `file://${repository}`)).toMatchObject({ code: 0 });
    expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    expect((await command('update', '--all')).stdout).toMatch(/is unchanged at 1\.0\.0\./);
    await commit('2.0.0');
    expect(await command('update', '--all')).toMatchObject({ code: 0 });
    expect((await hob.run(id)).body).toMatchObject({ message: '2.0.0' });
    await rm(repository, { recursive: true });
    const lost = await command('update', '--all');
    expect(lost.code).toBe(1);
    expect((await hob.run(id)).body).toMatchObject({ message: '2.0.0' });
  });

  it('show the log while an environment is prepared, and list environments', async () => {
    const { hob, command } = await open();
    const parent = await tempFolder();
    const script = await writeScript(parent, 'needy', {
      language: 'python',
      entry: python('import greeting\nwrite({"code": 0, "msg": greeting.version})'),
    });
    const folder = join(parent, 'needy');
    await makeWheel(join(folder, 'wheels'), 'greeting', '1.0.0');
    await writeFile(join(folder, 'requirements.txt'), '--no-index\n--find-links wheels\ngreeting\n');
    const { code, stderr } = await command('install', folder);
    expect(code).toBe(0);
    expect(stderr).toMatch(/ {2}\| .*greeting/);
    expect((await hob.run(script)).body).toMatchObject({ message: '1.0.0' });
    const listed = await command('environments');
    expect(listed.stdout).toMatch(/python.*needy/);
    expect(await command('prepare', 'needy')).toMatchObject({ code: 0 });

    await writeFile(join(folder, 'requirements.txt'), '--no-index\nnobody-has-this\n');
    const failed = await command('update', 'needy');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('nobody-has-this');
    expect((await hob.run(script)).body).toMatchObject({ message: '1.0.0' });
  });
});
