import { access, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ask } from '../support/ask.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import {
  firstCommit,
  someFiles,
  writeFileAt,
  writeFiles,
  writeHuggingFaceRepo,
  writeModelScopeRepo,
  writeOldModelScopeRepo,
} from '../support/model-caches.ts';
import { bash, writeScript } from '../support/scripts.ts';

/** A service with its own model folders, independent of this machine. */
async function startWithPlaces({ scripts = [] as string[] } = {}) {
  const root = await tempFolder();
  const at = (...names: string[]) => join(root, ...names);
  await mkdir(at('home'));
  const hob = await startHob({
    home: at('home'),
    scripts,
    settings: 'model_folders = ["../extra"]\n',
    env: { HF_HUB_CACHE: at('hub'), MODELSCOPE_CACHE: at('scope') },
  });
  const pathOf = async (repoId: string) => {
    const { status, body } = await hob.get(`/api/model/path?repo_id=${repoId}`);
    const { path } = { path: null, ...Object(body.data) };
    return [status, path];
  };
  const remove = async (target: string) => {
    const { status, text } = await ask(`${hob.url}/api/models/${target}`, 'DELETE');
    return { status, body: JSON.parse(text) };
  };
  const list = async () => (await hob.get('/api/models')).body;
  return { hob, at, pathOf, remove, list };
}

const model = (repoId: string, source = 'huggingface', files: string[] = []) => `
[[service.models]]
source = "${source}"
repo_id = "${repoId}"
files = ${JSON.stringify(files)}
`;

describe('GET /api/model/path', () => {
  it('finds models in every folder, as soon as they exist and no longer', async () => {
    const { at, pathOf } = await startWithPlaces();
    const ids = ['Owner/own', 'Owner/hugging', 'Owner/new', 'Owner/old-v1.5', 'Owner/extra'] as const;
    for (const id of ids) expect(await pathOf(id)).toEqual([404, null]);
    await writeFiles(at('home', 'models', 'Owner', 'own'), someFiles);
    const { snapshot, repo } = await writeHuggingFaceRepo(at('hub'), { repoId: ids[1], hasTree: true });
    const current = await writeModelScopeRepo(at('scope'), { repoId: ids[2] });
    const old = await writeOldModelScopeRepo(at('scope'), { repoId: ids[3] });
    const extra = await writeHuggingFaceRepo(at('extra'), { repoId: ids[4] });
    const folders = [at('home', 'models', 'Owner', 'own'), snapshot, current, old, extra.snapshot];
    for (const [index, id] of ids.entries()) expect(await pathOf(id)).toEqual([200, folders[index]]);
    for (const folder of [folders[0], repo, current, old, extra.repo])
      await rm(folder ?? '', { recursive: true });
    for (const id of ids) expect(await pathOf(id)).toEqual([404, null]);
  });

  it('checks the files that scripts declare, as soon as they do', async () => {
    const scripts = await tempFolder();
    const { at, pathOf, hob } = await startWithPlaces({ scripts: [scripts] });
    const { snapshot } = await writeHuggingFaceRepo(at('hub'), {
      files: { 'model.onnx': 'x', 'a.json': '{}' },
    });
    expect(await pathOf('Owner/name')).toEqual([200, snapshot]);
    const id = await writeScript(scripts, 'needy', {
      tables: model('Owner/name', 'huggingface', ['*.gguf']),
    });
    // A request by id finds a script that was created a moment ago.
    expect((await hob.run(id)).status).toBe(200);
    expect(await pathOf('Owner/name')).toEqual([404, null]);
    await writeFileAt(join(snapshot, 'weights.gguf'));
    expect(await pathOf('Owner/name')).toEqual([200, snapshot]);
  });
});

describe('GET /api/models', () => {
  it('lists the existing models, and the missing ones that scripts need', async () => {
    const scripts = await tempFolder();
    const tables = model('Owner/name') + model('Owner/gone', 'modelscope') + model('../../etc');
    const id = await writeScript(scripts, 'needy', { tables });
    const { at, list } = await startWithPlaces({ scripts: [scripts] });
    const { snapshot } = await writeHuggingFaceRepo(at('hub'), { files: { 'a.bin': 'a'.repeat(50_000) } });
    await writeFiles(at('extra', 'Owner', 'name'), someFiles);
    await writeFileAt(at('home', 'models', 'Owner', 'half', 'x.part'));
    const needed = [{ script_id: id, script_name: 'needy' }];
    const { items, next } = await list();
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        repo_id: 'Owner/gone',
        source: 'modelscope',
        place: null,
        folder: null,
        revision: null,
        size_bytes: 0,
        state: 'missing',
        is_used: false,
        is_removable: false,
        needed_by: needed,
      },
      {
        repo_id: 'Owner/half',
        source: null,
        place: 'own',
        folder: at('home', 'models', 'Owner', 'half'),
        revision: null,
        size_bytes: expect.any(Number),
        state: 'partial',
        is_used: false,
        is_removable: true,
        needed_by: [],
      },
      {
        repo_id: 'Owner/name',
        source: 'huggingface',
        place: 'huggingface',
        folder: snapshot,
        revision: firstCommit,
        size_bytes: expect.toSatisfy((bytes) => bytes >= 50_000 && bytes < 150_000),
        state: 'complete',
        is_used: true,
        is_removable: true,
        needed_by: needed,
      },
      {
        repo_id: 'Owner/name',
        source: 'huggingface',
        place: 'extra',
        folder: at('extra', 'Owner', 'name'),
        revision: null,
        size_bytes: expect.any(Number),
        state: 'complete',
        is_used: false,
        is_removable: false,
        needed_by: needed,
      },
    ]);
  });
});

describe('GET /api/models/<owner>/<name>', () => {
  it('lists the copies of that model, or that a script needs it, and nothing else', async () => {
    const scripts = await tempFolder();
    await writeScript(scripts, 'needy', { tables: model('Owner/gone') });
    const { hob, at } = await startWithPlaces({ scripts: [scripts] });
    await writeFiles(at('home', 'models', 'Owner', 'name'), someFiles);
    await writeFiles(at('extra', 'Owner', 'name'), someFiles);
    await writeFiles(at('extra', 'Owner', 'other'), someFiles);
    const { body } = await hob.get('/api/models/Owner/name');
    const copy = { repo_id: 'Owner/name', state: 'complete' };
    expect(body).toMatchObject({
      items: [
        { ...copy, place: 'own', is_used: true },
        { ...copy, place: 'extra', is_used: false },
      ],
      next: null,
    });
    expect((await hob.get('/api/models/Owner/gone')).body).toMatchObject({ items: [{ state: 'missing' }] });
    expect(await hob.get('/api/models/Owner/none')).toMatchObject({
      status: 404,
      body: { code: 'model-not-downloaded', hint: 'Download it: hob model pull Owner/none' },
    });
    expect(await hob.get('/api/models/Owner/..%2f..')).toMatchObject({
      status: 400,
      body: { code: 'repo-id-invalid' },
    });
  });
});

describe('DELETE /api/models/<owner>/<name>', () => {
  it('reports what it would free, frees that, and then finds nothing', async () => {
    const { at, remove, pathOf } = await startWithPlaces();
    const { repo } = await writeHuggingFaceRepo(at('hub'), { files: { 'a.bin': 'a'.repeat(50_000) } });
    const preview = await remove('Owner/name?dry_run=true');
    expect(preview).toEqual({
      status: 200,
      body: {
        status: 'success',
        message: 'The model Owner/name would be removed',
        folder: repo,
        freed_bytes: expect.toSatisfy((bytes) => bytes >= 50_000 && bytes < 150_000),
      },
    });
    await access(repo);
    const done = await remove('Owner/name');
    expect(done).toEqual({
      status: 200,
      body: { ...preview.body, message: 'The model Owner/name was removed' },
    });
    expect(await readdir(at('hub'))).toEqual([]);
    expect(await pathOf('Owner/name')).toEqual([404, null]);
    expect(await remove('Owner/name')).toMatchObject({ status: 404, body: { code: 'model-not-downloaded' } });
  });

  it('removes the copy in the named folder, and nothing in extra folders', async () => {
    const { at, remove, list } = await startWithPlaces();
    await writeFiles(at('home', 'models', 'Owner', 'name'), someFiles);
    await writeHuggingFaceRepo(at('hub'));
    await writeFiles(at('extra', 'Owner', 'name'), someFiles);
    expect(await remove('Owner/name?place=huggingface')).toMatchObject({ status: 200 });
    expect(await remove('Owner/name?place=huggingface')).toMatchObject({ status: 404 });
    expect(await remove('Owner/name?place=extra')).toMatchObject({
      status: 403,
      body: { status: 'error', code: 'model-not-removable', hint: expect.stringMatching(/./) },
    });
    expect(await list()).toMatchObject({ items: [{ place: 'own' }, { place: 'extra' }] });
  });

  it.each([
    '?dry_run=1',
    '?dry_run=TRUE',
    '?dryrun=true',
    '?place=everywhere',
    '?dry_run=true&dry_run=false',
  ])('removes nothing for an invalid query: %s', async (query) => {
    const { at, remove } = await startWithPlaces();
    await writeFiles(at('home', 'models', 'Owner', 'name'), someFiles);
    expect(await remove(`Owner/name${query}`)).toMatchObject({
      status: 400,
      body: { code: 'field-invalid' },
    });
    await access(at('home', 'models', 'Owner', 'name', 'config.json'));
  });
});

describe('a script that declares models', () => {
  it('is shown with the state of each', async () => {
    const scripts = await tempFolder();
    const tables = ['whole', 'half', 'gone'].map((name) => model(`Owner/${name}`)).join('') + model('no id');
    const id = await writeScript(scripts, 'needy', { tables, runtime: 'require_models = true' });
    const { at, hob } = await startWithPlaces({ scripts: [scripts] });
    await writeHuggingFaceRepo(at('hub'), { repoId: 'Owner/whole' });
    await writeFileAt(at('hub', 'models--Owner--half', 'blobs', 'x.incomplete'));
    const { status, body } = await hob.get(`/api/scripts/${id}`);
    expect(status).toBe(200);
    expect(body.require_models).toBe(true);
    expect(body.models).toEqual([
      { source: 'huggingface', repo_id: 'Owner/whole', files: [], state: 'complete' },
      { source: 'huggingface', repo_id: 'Owner/half', files: [], state: 'partial' },
      { source: 'huggingface', repo_id: 'Owner/gone', files: [], state: 'missing' },
      { source: 'huggingface', repo_id: 'no id', files: [], state: 'missing' },
    ]);
  });

  it('and requires them does not start without them, and the error says how to get them', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'needy', {
      tables: model('Owner/name', 'modelscope', ['*.onnx']) + model('Owner/half'),
      runtime: 'require_models = true',
      entry: bash('touch started; echo \'{"code":0,"msg":"ran"}\' > "$output"'),
    });
    const { at, hob } = await startWithPlaces({ scripts: [scripts] });
    await writeFileAt(at('hub', 'models--Owner--half', 'blobs', 'x.incomplete'));
    const english = { 'accept-language': 'en' };
    const refused = await hob.post('/api/execute', { script_id: id, sync: true }, english);
    expect(refused.body).toMatchObject({ success: false, exit_code: -1, result: { code: -1 } });
    expect(refused.body.message).toBe(
      [
        'The script needs the model Owner/name, which is not downloaded. Get it with: hob model pull Owner/name --source modelscope',
        'The script needs the model Owner/half, which is only partly downloaded. Get it with: hob model pull Owner/half --source huggingface',
      ].join('\n'),
    );
    expect((await hob.run(id)).body.message).toContain(
      '脚本需要模型 Owner/name，但尚未下载。请运行：hob model pull Owner/name --source modelscope',
    );
    const { body } = await hob.post('/api/execute', { script_id: id });
    expect(await hob.ended(String(body.run_id))).toMatchObject({
      end_cause: 'spawn-failed',
      state: 'failed',
    });
    expect(await readdir(join(scripts, 'needy'))).not.toContain('started');

    await writeModelScopeRepo(at('scope'));
    await writeHuggingFaceRepo(at('hub'), { repoId: 'Owner/half' });
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: 'ran' });
  });

  it('and requires an impossible name gets that error, without a command to copy', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'needy', {
      tables: model('a/b; touch owned'),
      runtime: 'require_models = true',
    });
    const { hob } = await startWithPlaces({ scripts: [scripts] });
    const english = { 'accept-language': 'en' };
    const { body } = await hob.post('/api/execute', { script_id: id, sync: true }, english);
    expect(body).toMatchObject({
      exit_code: -1,
      message:
        'The script declares the model "a/b; touch owned", which is not a valid name. Write it as owner/name in the manifest.',
    });
  });

  it('and does not require them starts without them', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'coping', { tables: model('Owner/name') });
    const { hob } = await startWithPlaces({ scripts: [scripts] });
    expect((await hob.run(id)).body).toMatchObject({ exit_code: 0 });
  });
});
