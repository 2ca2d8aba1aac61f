import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';

import { describe, expect, it } from 'vitest';

import { packFolder } from '../../src/packages/pack/pack-folder.ts';
import { listenTo, type SeenEvent } from '../support/event-client.ts';
import { exampleNames, examplesFolder } from '../support/examples.ts';
import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { install, operate } from '../support/packages.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { fileThere, until } from '../support/until.ts';

/** The paths of all files below the packages of a home. */
function packagesOf({ home }: Pick<Hob, 'home'>): Promise<string[]> {
  return until('they can be listed', async () => {
    // Fails while a folder is being removed.
    const paths = await readdir(join(home, 'packages'), { recursive: true }).catch(() => undefined);
    return paths?.toSorted();
  });
}

async function pack(folder: string, name: string): Promise<string> {
  const target = join(await tempFolder(), name);
  await packFolder(folder, { target, signal: new AbortController().signal });
  return target;
}

/** A script that prints its version. `body` runs before that. */
async function versionOf(id: string, version: string, body = ''): Promise<string> {
  const parent = await tempFolder();
  await writeScript(parent, '我的 script', {
    id,
    language: 'python',
    entry: python(`${body}\nwrite({"code": 0, "msg": "${version}", "dir": env["script_dir"]})`),
    tables: '',
  });
  const folder = join(parent, '我的 script');
  const manifest = await readFile(join(folder, 'script.toml'), 'utf8');
  await writeFile(
    join(folder, 'script.toml'),
    manifest.replace('name = ', `version = "${version}"\nname = `),
  );
  return folder;
}

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';

const shared = shareService();

describe('packages for this interface', () => {
  it('install and run unchanged, with any names of their manifest and root table', async () => {
    const hob = await startHob();
    const names = await exampleNames();
    for (const name of names) {
      const folder = join(await tempFolder(), name);
      await cp(join(examplesFolder, name), folder, { recursive: true });
      const manifest = await readFile(join(folder, 'script.toml'), 'utf8');
      await rm(join(folder, 'script.toml'));
      await writeFile(
        join(folder, '工具 box.toml'),
        manifest.replaceAll('service.', '产品.').replaceAll('产品.', '"产品".'),
      );
      const source = await pack(folder, `${name}.${name.length % 2 === 0 ? 'zip' : 'tar.gz'}`);
      expect(await install(hob, source)).toMatchObject({ state: 'done', error: null });
    }
    const { scripts, problems } = (await hob.get('/api/scripts')).body;
    expect(scripts).toHaveLength(names.length);
    expect(problems).toEqual([]);
    const slug = await hob.run('899bf95e-1ffb-4d83-b0db-c611951706bb', { data: { title: 'Tea & Coffee' } });
    expect(slug.body).toMatchObject({ success: true, result: { slug: 'tea-coffee' } });
    const texts = await tempFolder();
    await writeFile(join(texts, 'a.md'), '# One\n\ntwo three\n');
    const digest = await hob.run('81812ae0-376c-48b1-9b99-66a94bea5be9', { data: { folder: texts } });
    expect(digest.body).toMatchObject({ success: true });
  });

  it('warn about a required program that is missing', async () => {
    const { hob } = shared;
    const parent = await tempFolder();
    await writeScript(parent, 'needy', { runtime: 'binaries = [{ name = "of-nobody" }]' });
    const { state, warnings } = await install(hob, join(parent, 'needy'));
    expect(state).toBe('done');
    expect(warnings).toEqual([expect.stringContaining('"of-nobody"')]);
  });

  it('warn about a script they call that is missing', async () => {
    const { hob } = shared;
    const { state, warnings } = await install(hob, join(examplesFolder, 'text-digest'));
    expect(state).toBe('done');
    expect(warnings).toEqual([expect.stringContaining('bb01422c-7c2f-4e90-80d0-1a3f21cf4c9e')]);
  });

  it('do not replace existing scripts', async () => {
    const scripts = await tempFolder();
    await writeScript(scripts, 'mine', { id });
    const hob = await startHob({ scripts: [scripts] });
    const source = await versionOf(id, '1.0.0');
    expect(await install(hob, source)).toMatchObject({
      state: 'failed',
      error: { code: 'package-installed' },
    });
    await rm(join(scripts, 'mine'), { recursive: true });
    await until('the script is gone', async () => (await hob.get(`/api/scripts/${id}`)).status === 404);
    expect(await install(hob, source)).toMatchObject({ state: 'done' });
    expect(await install(hob, source)).toMatchObject({
      state: 'failed',
      error: { code: 'package-installed', hint: expect.stringContaining('hob update') },
    });
    expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
  });
});

describe('an update', () => {
  it('leaves an active run its version, and can be rolled back and forward again', async () => {
    const hob = await startHob();
    const files = await tempFolder();
    const hold = `
import time
open(os.path.join(${JSON.stringify(files)}, "holds"), "w").close()
while os.path.isdir(${JSON.stringify(files)}) and not os.path.exists(${JSON.stringify(join(files, 'go'))}): time.sleep(0.02)
from beside import word
`;
    const first = await versionOf(id, '1.0.0', hold);
    await writeFile(join(first, 'beside.py'), 'word = "still here"\n');
    expect(await install(hob, first)).toMatchObject({ state: 'done', version: '1.0.0' });
    const running = hob.run(id);
    await fileThere(join(files, 'holds'));

    const update = { source: await pack(await versionOf(id, '2.0.0'), 'two.zip') };
    expect(await operate(hob, `/api/packages/${id}/update`, update)).toMatchObject({
      state: 'done',
      version: '2.0.0',
    });
    expect((await hob.run(id)).body).toMatchObject({ message: '2.0.0' });
    // After a third version, the running run's version is not even the previous one any more.
    const third = { source: await versionOf(id, '3.0.0') };
    expect(await operate(hob, `/api/packages/${id}/update`, third)).toMatchObject({ state: 'done' });
    await writeFile(join(files, 'go'), '');
    expect((await running).body).toMatchObject({ success: true, message: '1.0.0' });
    await until('the unused version is gone', async () => !(await packagesOf(hob)).includes(join(id, 'v1')));

    const roll = () => operate(hob, `/api/packages/${id}/rollback`);
    expect(await roll()).toMatchObject({ state: 'done', version: '2.0.0' });
    expect((await hob.run(id)).body).toMatchObject({ message: '2.0.0' });
    expect(await roll()).toMatchObject({ state: 'done', version: '3.0.0' });
    expect((await hob.run(id)).body).toMatchObject({ message: '3.0.0' });
    expect((await hob.get('/api/packages')).body).toMatchObject({
      items: [{ script_id: id, version: '3.0.0', previous: { version: '2.0.0' }, state: 'ready' }],
    });
  });

  it('to a broken version keeps the old one in use', async () => {
    const hob = await startHob();
    expect(await install(hob, await versionOf(id, '1.0.0'))).toMatchObject({ state: 'done' });
    const before = await packagesOf(hob);
    const [broken, other, lacking, unbuildable] = [
      await versionOf(id, '2.0.0'),
      await versionOf('2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c99', '2.0.0'),
      await versionOf(id, '2.0.0'),
      await versionOf(id, '2.0.0'),
    ];
    await writeFile(join(broken, 'script.toml'), '[service.info]\nid = 5\n');
    await rm(join(lacking, 'main.py'));
    await writeFile(join(unbuildable, 'requirements.txt'), '--no-index\nnobody-has-this==1.0\n');
    for (const [source, code] of [
      [broken, 'package-broken'],
      [other, 'package-broken'],
      [lacking, 'package-broken'],
      [unbuildable, 'environment-failed'],
      [join(other, 'nowhere'), 'package-source-invalid'],
    ] as const) {
      const operation = await operate(hob, `/api/packages/${id}/update`, { source });
      expect(operation.error ?? operation, basename(source)).toMatchObject(
        operation.error === undefined ? { status: 400 } : { code },
      );
      expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    }
    await until('nothing is left of them', async () => (await packagesOf(hob)).join() === before.join());
  });

  it('without changes has no effect', async () => {
    const hob = await startHob();
    const source = await versionOf(id, '1.0.0');
    await install(hob, source);
    const before = await packagesOf(hob);
    expect(await operate(hob, `/api/packages/${id}/update`)).toMatchObject({
      state: 'done',
      warnings: [expect.stringMatching(/up to date/i)],
    });
    expect(await packagesOf(hob)).toEqual(before);
  });
});

describe('an uninstalled package', () => {
  it('is gone immediately, and its files when the last run has ended', async () => {
    const { hob } = shared;
    const files = await tempFolder();
    const source = await tempFolder();
    const script = await writeScript(source, 'holder', {
      entry: bash(
        `touch "${files}/holds"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done; cat beside`,
      ),
    });
    await writeFile(join(source, 'holder', 'beside'), 'still here');
    await install(hob, join(source, 'holder'));
    const running = hob.run(script);
    await fileThere(join(files, 'holds'));
    const answer = await fetch(`${hob.url}/api/packages/${script}`, { method: 'DELETE' });
    expect(await answer.json()).toMatchObject({ status: 'success', kept_for_runs: true });
    expect((await hob.post('/api/execute', { script_id: script })).status).toBe(404);
    await writeFile(join(files, 'go'), '');
    expect((await running).body).toMatchObject({ success: true, stdout: 'still here' });
    await until('its files are gone', async () =>
      (await packagesOf(hob)).every((path) => !path.includes(script)),
    );
  });
});

describe('a service that is killed', () => {
  it('at any moment of an installation leaves the whole package or nothing', async () => {
    const service = await startRestartable();
    const source = await versionOf(id, '1.0.0');
    for (let file = 0; file < 300; file++) await writeFile(join(source, `data-${file}`), 'x'.repeat(2000));
    const archive = await pack(source, 'large.zip');
    const ends = new Set<string>();
    for (let round = 0; round < 4; round++) {
      await service.hob.post('/api/packages/install', { source: archive });
      await new Promise((resolve) => setTimeout(resolve, round * 40));
      await service.restart('SIGKILL');
      const { items } = (await service.hob.get('/api/packages')).body as { items: unknown[] };
      const isWhole = items.length > 0;
      ends.add(isWhole ? 'whole' : 'nothing');
      const rest = isWhole ? [id, join(id, 'installed.json'), join(id, 'v1')] : [];
      await until('only the current version is left', async () => {
        const left = (await packagesOf(service.hob)).filter((path) => path.split(sep).length < 3);
        return left.filter((path) => path !== '.staging').join() === rest.join();
      });
      if (!isWhole) continue;
      expect((await service.hob.run(id)).body).toMatchObject({ success: true, message: '1.0.0' });
      await fetch(`${service.hob.url}/api/packages/${id}`, { method: 'DELETE' });
    }
    expect(ends).toContain('nothing');
    expect(await install(service.hob, archive)).toMatchObject({ state: 'done' });
    expect((await service.hob.run(id)).body).toMatchObject({ message: '1.0.0' });
  });
});

describe('an installation', () => {
  it('is reported on the event stream, to its end', async () => {
    const hob = await startHob();
    const client = await listenTo(`${hob.url}/api/events`);
    const source = await versionOf(id, '1.0.0');
    const { operation_id } = await install(hob, source);
    const isEnd = ({ type, data }: SeenEvent) => type === 'package.progress' && data.state === 'done';
    await client.until('its end is published', ({ events }) => events.some(isEnd));
    expect(client.events.find(isEnd)?.data).toMatchObject({
      operation_id,
      kind: 'install',
      script_id: id,
      version: '1.0.0',
      source: { kind: 'folder', location: source },
    });
    expect((await hob.get('/api/packages/operations')).body).toMatchObject({
      items: [{ operation_id, state: 'done' }],
    });
  });
});
