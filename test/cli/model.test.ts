import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { runCli, startHob, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

describe('hob model', () => {
  it.each([
    [[]],
    [['pull']],
    [['pull', 'acme/tiny', '--for', 'x']],
    [['pull', '--for', 'x', '--files', '*']],
    [['pull', 'acme']],
    [['pull', 'https://hub.test/acme/tiny']],
    [['pull', 'acme/tiny', '--colour']],
    [['path']],
    [['path', '../etc']],
    [['path', 'a/b', 'c/d']],
    [['rm', '../runs']],
    [['rm', 'a/..']],
    [['cancel', '']],
    [['fetch', 'acme/tiny']],
  ])('%j is a usage error: 2', async (args) => {
    const { code, stdout, stderr } = await runCli([
      'model',
      ...args,
      ...(args.length > 0 ? ['--home', await tempFolder()] : []),
    ]).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toContain('not running');
  });

  it('explains that the model comes before --files', async () => {
    const args = ['model', 'pull', '--home', await tempFolder(), '--files', '*.onnx', 'acme/tiny'];
    const { code, stderr } = await runCli(args).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('Name the model before --files');
  });

  it('reports that no service runs', async () => {
    const home = await tempFolder();
    for (const args of [['list'], ['path', 'a/b'], ['pull', 'a/b'], ['rm', 'a/b'], ['cancel', 'a/b']]) {
      const { code, stdout, stderr } = await runCli(['model', ...args, '--home', home]).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`Hob is not running (home: ${home}).`);
    }
  });

  it('lists, finds and removes models', async () => {
    const [scripts, cache] = [await tempFolder(), await tempFolder()];
    await writeScript(scripts, 'needy', {
      name: '图片放大',
      tables: ['tiny', 'none']
        .map((name) => `[[service.models]]\nsource = "huggingface"\nrepo_id = "acme/${name}"\n`)
        .join(''),
    });
    const hob = await startHob({
      scripts: [scripts],
      args: ['--token'],
      env: { HF_HUB_CACHE: cache, MODELSCOPE_CACHE: cache },
    });
    const folder = join(hob.home, 'models', 'acme', 'tiny');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'model.onnx'), 'x'.repeat(5000));
    const model = (...args: string[]) => runCli(['model', ...args, '--home', hob.home]).ended;

    const { stdout: table } = await model('list');
    expect(table).toMatch(/^MODEL +PLACE +SIZE +STATE +NEEDED BY\n/);
    expect(table).toMatch(/^acme\/none +- +- +missing +图片放大$/m);
    expect(table).toMatch(/^acme\/tiny +own +[\d.]+ kB +complete +图片放大$/m);
    const listed = JSON.parse((await model('list', '--json')).stdout);
    expect(listed).toMatchObject({ items: [{ repo_id: 'acme/none' }, { repo_id: 'acme/tiny' }], next: null });

    expect(await model('path', 'acme/tiny')).toEqual({ code: 0, stdout: `${folder}\n`, stderr: '' });
    const missing = await model('path', 'acme/none');
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('To download it: hob model pull acme/none\n');

    const trial = await model('rm', 'acme/tiny', '--dry-run');
    expect(trial).toMatchObject({ code: 0, stderr: '' });
    expect(trial.stdout).toMatch(/^Would delete .*tiny and free [\d.]+ kB\.\n$/);
    expect(await model('rm', 'acme/tiny')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--yes'),
    });
    expect(await model('path', 'acme/tiny')).toMatchObject({ code: 0 });
    for (const keys of hasTerminal ? ['n\r', '\r', '\u0003', '\u0004'] : []) {
      const session = runInTerminal(['model', 'rm', 'acme/tiny', '--home', hob.home]);
      await until('it asks', async () => session.written().includes('[y/N]'));
      session.type(keys);
      expect(await session.ended).toBe(1);
      expect(session.written()).toMatch(/uses [\d.]+ kB\. Needed by: 图片放大\.\r?\nDelete it\?/);
      expect(session.lines().at(-2)).toBe('hob: Nothing was deleted.');
      expect(await model('path', 'acme/tiny')).toMatchObject({ code: 0 });
    }
    const removed = await model('rm', 'acme/tiny', '--yes', '--json');
    expect(JSON.parse(removed.stdout)).toMatchObject({ status: 'success', folder });
    expect(await model('path', 'acme/tiny')).toMatchObject({ code: 1 });
    expect(await model('rm', 'acme/tiny', '--yes')).toMatchObject({ code: 1, stdout: '' });
  });
});
