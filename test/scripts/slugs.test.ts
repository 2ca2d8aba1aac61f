import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Hob, launchHob, runCli, startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

async function slugsOf(hob: Hob): Promise<Record<string, string>> {
  const { scripts } = (await hob.get('/api/scripts')).body as { scripts: { id: string; slug: string }[] };
  return Object.fromEntries(scripts.map(({ id, slug }) => [id, slug]));
}

async function editManifest(folder: string, edit: (text: string) => string): Promise<void> {
  const path = join(folder, 'script.toml');
  await writeFile(path, edit(await readFile(path, 'utf8')));
}

describe('the slugs of scripts', () => {
  it('are stored: after a kill, a rename and a removal each script has its slug again', async () => {
    const [home, scripts, away] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const first = await writeScript(scripts, 'one', { name: '批量重命名' });
    const killed = await launchHob({ home, scripts: [scripts] });
    await until('it has a slug', async () => (await slugsOf(killed))[first] === 'pi-liang-chong-ming-ming');
    const second = await writeScript(away, 'two', { name: '批量重命名' });
    await rename(join(away, 'two'), join(scripts, 'two'));
    await until('so has the other', async () => (await slugsOf(killed))[second] !== undefined);
    const expected = { [first]: 'pi-liang-chong-ming-ming', [second]: 'pi-liang-chong-ming-ming-2' };
    expect(await slugsOf(killed)).toEqual(expected);
    await killed.stop('SIGKILL');

    await rename(join(scripts, 'one'), join(away, 'one'));
    await editManifest(join(scripts, 'two'), (text) => text.replace('批量重命名', 'Rename'));
    const hob = await startHob({ home, scripts: [scripts] });
    expect(await slugsOf(hob)).toEqual({ [second]: 'pi-liang-chong-ming-ming-2' });
    expect((await hob.get('/api/scripts/pi-liang-chong-ming-ming')).status).toBe(404);
    await rename(join(away, 'one'), join(scripts, 'one'));
    await until('it is back', async () => (await slugsOf(hob))[first] !== undefined);
    expect(await slugsOf(hob)).toEqual(expected);
  });

  it('find a script in the API and on the command line, also the slug from before a change', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'tool', { name: 'Some tool', entry: bash('echo "$PWD"') });
    await writeFile(join(scripts, 'tool', 'icon.png'), 'x');
    await editManifest(join(scripts, 'tool'), (text) => text.replace('name =', 'slug = "bad slug"\nname ='));
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.get('/api/scripts');
    expect(body.problems).toMatchObject([
      { severity: 'note', line: 4, message: expect.stringContaining('slug "bad slug" cannot be used') },
    ]);
    expect((await hob.get('/api/scripts/Some-Tool')).body).toMatchObject({ id, slug: 'some-tool' });

    await editManifest(join(scripts, 'tool'), (text) => text.replace('bad slug', 'better'));
    await until('the new slug is known', async () => (await slugsOf(hob))[id] === 'better');
    for (const slug of ['better', 'some-tool'])
      expect((await hob.get(`/api/scripts/${slug}`)).body).toMatchObject({ id, slug: 'better' });
    for (const slug of ['better', 'some-tool', 'Some tool', id]) {
      const { code, stdout } = await runCli(['run', slug, '--home', hob.home]).ended;
      expect([slug, code, stdout]).toEqual([slug, 0, `${join(scripts, 'tool')}\n`]);
    }
    const other = await writeScript(scripts, 'other', { name: 'Some tool' });
    await until('the other is known', async () => (await slugsOf(hob))[other] === 'some-tool');
    expect((await hob.get('/api/scripts/some-tool')).body).toMatchObject({ id: other });
  });

  it('go with an export to another home, where existing slugs stay', async () => {
    const [home, target, folder] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const first = await writeScript(join(home, 'scripts'), 'one', { name: 'Tool' });
    const old = await launchHob({ home });
    await until('it has a slug', async () => (await slugsOf(old))[first] === 'tool');
    const second = await writeScript(join(home, 'scripts'), 'two', { name: 'Tool' });
    const third = await writeScript(join(home, 'scripts'), 'three', { name: 'Third' });
    await until('so have the others', async () => Object.keys(await slugsOf(old)).length === 3);
    expect(await slugsOf(old)).toMatchObject({ [second]: 'tool-2' });
    await old.stop();
    const file = join(folder, 'home.tar.gz');
    expect(await runCli(['export', file, '--home', home]).ended).toMatchObject({ code: 0 });
    const taken = await writeScript(join(target, 'scripts'), 'taken', { name: 'Third' });
    const before = await launchHob({ home: target });
    await until('it has a slug', async () => (await slugsOf(before))[taken] === 'third');
    await before.stop();
    expect(await runCli(['import', file, '--home', target, '--merge']).ended).toMatchObject({ code: 0 });
    await rm(join(target, 'scripts', 'one'), { recursive: true });
    const hob = await startHob({ home: target });
    expect(await slugsOf(hob)).toEqual({ [second]: 'tool-2', [taken]: 'third', [third]: 'third-2' });
  });
});
