import { mkdir, rename, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import {
  firstCommit,
  libraryOf,
  secondCommit,
  someFiles,
  writeFileAt,
  writeFiles,
  writeHuggingFaceRepo,
  writeModelScopeRepo,
  writeOldModelScopeRepo,
} from '../../../test/support/model-caches.ts';

const repo = { owner: 'Owner', name: 'name' };
const dotted = { owner: 'Owner', name: 'name-v1.5' };

/** The copy that the library uses, or else the first listed copy. */
async function findIn(library: ReturnType<typeof libraryOf>) {
  const listed = await library.list();
  return listed.find(({ isUsed }) => isUsed) ?? listed[0];
}

describe('the cache of huggingface_hub', () => {
  it.each([{}, { hasTree: true }, { isPlain: true }, { isPlain: true, hasTree: true }])(
    'has a model with layout %j',
    async (how) => {
      const cache = await tempFolder();
      const { snapshot } = await writeHuggingFaceRepo(cache, how);
      await writeFileAt(join(cache, '.locks', 'models--Owner--name', 'x.lock'), '');
      await writeFileAt(join(cache, 'CACHEDIR.TAG'), '');
      const library = libraryOf({ huggingFaceCache: cache });
      expect(await findIn(library)).toMatchObject({
        repo,
        place: 'huggingface',
        folder: snapshot,
        revision: firstCommit,
        state: 'complete',
        isRemovable: true,
      });
      expect(await library.list()).toMatchObject([{ repo, folder: snapshot, isUsed: true }]);
    },
  );

  it('prefers the snapshot of main, then of another ref, then the newest', async () => {
    const cache = await tempFolder();
    const library = libraryOf({ huggingFaceCache: cache });
    const older = await writeHuggingFaceRepo(cache, { commit: firstCommit, refs: [] });
    const newer = await writeHuggingFaceRepo(cache, { commit: secondCommit, refs: [] });
    await utimes(older.snapshot, 1000, 1000);
    await utimes(newer.snapshot, 2000, 2000);
    expect(await library.folderOf(repo)).toBe(newer.snapshot);
    await writeFileAt(join(older.repo, 'refs', 'v1'), firstCommit);
    expect(await library.folderOf(repo)).toBe(older.snapshot);
    await writeFileAt(join(older.repo, 'refs', 'main'), secondCommit);
    expect(await library.folderOf(repo)).toBe(newer.snapshot);
  });

  it('has a partial model if there are only refs and blobs', async () => {
    const cache = await tempFolder();
    await writeFileAt(join(cache, 'models--Owner--name', 'refs', 'main'), firstCommit);
    await writeFileAt(join(cache, 'models--Owner--name', 'blobs', 'abc.incomplete'), 'half');
    const library = libraryOf({ huggingFaceCache: cache });
    expect(await library.folderOf(repo)).toBeNull();
    expect(await library.stateOf(repo)).toBe('partial');
    expect(await library.list()).toMatchObject([{ state: 'partial', isUsed: false }]);
  });

  it('lists only models', async () => {
    const cache = await tempFolder();
    await writeHuggingFaceRepo(cache, { repoId: 'Owner/name' });
    for (const name of ['datasets--a--b', 'models--gpt2', 'models--a--b--c', 'models--..--x', 'models--a--'])
      await mkdir(join(cache, name, 'snapshots'), { recursive: true });
    await symlink(join(cache, 'models--Owner--name'), join(cache, 'models--Owner--linked'));
    expect((await libraryOf({ huggingFaceCache: cache }).list()).map((model) => model.repo)).toEqual([repo]);
  });
});

describe('the newer cache of ModelScope', () => {
  it.each([{}, { hasList: true }, { revision: 'v1.0.0' }])('has a model with layout %j', async (how) => {
    const cache = await tempFolder();
    const folder = await writeModelScopeRepo(cache, how);
    const library = libraryOf({ modelScopeCaches: { current: cache, old: cache } });
    expect(await findIn(library)).toMatchObject({
      place: 'modelscope',
      folder,
      revision: how.revision ?? 'master',
      state: 'complete',
      isRemovable: true,
    });
    expect(await library.list()).toMatchObject([{ repo, folder, isUsed: true }]);
  });

  it('prefers master to other revisions', async () => {
    const cache = await tempFolder();
    const master = await writeModelScopeRepo(cache);
    await utimes(master, 1000, 1000);
    await writeModelScopeRepo(cache, { revision: 'v2' });
    const library = libraryOf({ modelScopeCaches: { current: cache, old: cache } });
    expect(await library.folderOf(repo)).toBe(master);
  });

  it('has a partial model if a file in the record of the download is missing', async () => {
    const cache = await tempFolder();
    const folder = await writeModelScopeRepo(cache, { hasList: true });
    await rm(join(folder, 'onnx', 'model.onnx'));
    const library = libraryOf({ modelScopeCaches: { current: cache, old: cache } });
    expect(await library.stateOf(repo)).toBe('partial');
  });
});

describe('the older cache of ModelScope', () => {
  const both = (cache: string) => libraryOf({ modelScopeCaches: { current: cache, old: cache } });

  it('has a model', async () => {
    const cache = await tempFolder();
    const folder = await writeOldModelScopeRepo(cache);
    expect(await findIn(both(cache))).toMatchObject({
      place: 'modelscope',
      folder,
      revision: 'master',
      state: 'complete',
    });
  });

  it.each([true, false])(
    'finds a model with ___ in place of dots, with a link of the true name: %s',
    async (hasLink) => {
      const cache = await tempFolder();
      const folder = await writeOldModelScopeRepo(cache, { repoId: 'Owner/name-v1.5' });
      expect(folder).toBe(join(cache, 'models', 'Owner', 'name-v1___5'));
      if (!hasLink) await rm(join(cache, 'models', 'Owner', 'name-v1.5'));
      expect(await both(cache).folderOf(dotted)).toBe(folder);
      expect(await both(cache).list()).toMatchObject([{ repo: dotted, folder, isUsed: true }]);
    },
  );

  it('may have a model with dots in its folder name, and one with ___ in its true name', async () => {
    const cache = await tempFolder();
    await writeFiles(join(cache, 'models', 'Owner', 'name-v1.5'), someFiles);
    await writeOldModelScopeRepo(cache, { repoId: 'Owner/a___b' });
    expect(await both(cache).folderOf(dotted)).toBe(join(cache, 'models', 'Owner', 'name-v1.5'));
    expect(await both(cache).folderOf({ owner: 'Owner', name: 'a___b' })).toBe(
      join(cache, 'models', 'Owner', 'a___b'),
    );
  });

  it('has a partial model until the final mark is written', async () => {
    const cache = await tempFolder();
    const folder = await writeOldModelScopeRepo(cache, { isFinished: false });
    expect(await both(cache).stateOf(repo)).toBe('partial');
    await rm(join(folder, '._____temp'), { recursive: true });
    expect(await both(cache).stateOf(repo)).toBe('partial');
    await writeFileAt(join(folder, '.mv'), 'Revision:v2,CreatedAt:1');
    expect(await findIn(both(cache))).toMatchObject({ state: 'complete', revision: 'v2' });
  });

  it('may be in the same folder as the newer cache', async () => {
    const cache = await tempFolder();
    const old = await writeOldModelScopeRepo(cache, { repoId: 'Owner/old' });
    const current = await writeModelScopeRepo(cache, { repoId: 'Owner/new' });
    const listed = await both(cache).list();
    expect(listed.map(({ folder }) => folder)).toEqual([current, old]);
  });
});

describe('an extra folder', () => {
  it.each([
    ['folders by owner and name', (root: string) => writeFiles(join(root, 'Owner', 'name'), someFiles)],
    ['a cache of huggingface_hub', (root: string) => writeHuggingFaceRepo(root)],
    ['a newer cache of ModelScope', (root: string) => writeModelScopeRepo(root)],
    ['an older cache of ModelScope', (root: string) => writeOldModelScopeRepo(root)],
  ])('may be %s', async (_what, write) => {
    const root = await tempFolder();
    await write(root);
    const library = libraryOf({ extra: [root] });
    const found = await findIn(library);
    expect(found).toMatchObject({ place: 'extra', state: 'complete', isRemovable: false });
    expect(found?.folder.startsWith(root)).toBe(true);
    expect((await library.list()).map((model) => model.repo)).toEqual([repo]);
  });

  it('may have an owner named models if it is not a cache of ModelScope', async () => {
    const root = await tempFolder();
    await writeFiles(join(root, 'models', 'name'), someFiles);
    const library = libraryOf({ extra: [root] });
    const owned = { owner: 'models', name: 'name' };
    expect(await library.folderOf(owned)).toBe(join(root, 'models', 'name'));
    await writeModelScopeRepo(root);
    expect(await library.folderOf(owned)).toBeNull();
    expect((await library.list()).map((model) => model.repo)).toEqual([repo]);
  });

  it('that is also a cache does not list its models twice', async () => {
    const cache = await tempFolder();
    await writeHuggingFaceRepo(cache);
    const listed = await libraryOf({ huggingFaceCache: cache, extra: [cache] }).list();
    expect(listed).toMatchObject([{ place: 'huggingface', isRemovable: true }]);
  });

  it('without models lists none', async () => {
    const root = await tempFolder();
    await mkdir(join(root, 'some', 'folders', 'only'), { recursive: true });
    await writeFileAt(join(root, 'notes.txt'));
    expect(await libraryOf({ extra: [root, join(root, 'gone')] }).list()).toEqual([]);
  });
});

describe('several places', () => {
  it('use the first complete model, and list all copies', async () => {
    const root = await tempFolder();
    const at = (name: string) => join(root, name);
    const library = libraryOf({
      models: at('own'),
      huggingFaceCache: at('hub'),
      modelScopeCaches: { current: at('new'), old: at('old') },
      extra: [at('extra')],
    });
    await writeFiles(at('extra/Owner/name'), someFiles);
    expect(await library.folderOf(repo)).toBe(at('extra/Owner/name'));
    const old = await writeOldModelScopeRepo(at('old'));
    expect(await library.folderOf(repo)).toBe(old);
    const current = await writeModelScopeRepo(at('new'));
    expect(await library.folderOf(repo)).toBe(current);
    const { snapshot, blobOf } = await writeHuggingFaceRepo(at('hub'));
    expect(await library.folderOf(repo)).toBe(snapshot);
    await writeFiles(at('own/Owner/name'), someFiles);
    expect(await library.folderOf(repo)).toBe(at('own/Owner/name'));

    await writeFileAt(at('own/Owner/name/model.bin.part'));
    await rm(blobOf('config.json'));
    const listed = (await library.list()).map(({ place, state, isUsed }) => [place, state, isUsed]);
    expect(listed).toEqual([
      ['own', 'partial', false],
      ['huggingface', 'partial', false],
      ['modelscope', 'complete', true],
      ['modelscope', 'complete', false],
      ['extra', 'complete', false],
    ]);
  });
});

describe('links', () => {
  it.each(['owner', 'name'])('are not followed where a folder is expected: %s', async (which) => {
    const root = await tempFolder();
    await writeFiles(join(root, 'elsewhere', 'Owner', 'name'), someFiles);
    const models = join(root, 'models');
    await mkdir(join(models, 'Owner'), { recursive: true });
    if (which === 'owner') {
      await rm(join(models, 'Owner'), { recursive: true });
      await symlink(join(root, 'elsewhere', 'Owner'), join(models, 'Owner'));
    } else {
      await symlink(join(root, 'elsewhere', 'Owner', 'name'), join(models, 'Owner', 'name'));
    }
    const library = libraryOf({ models });
    expect(await library.folderOf(repo)).toBeNull();
    expect(await library.list()).toEqual([]);
  });

  it('to files outside the root make a model partial', async () => {
    const root = await tempFolder();
    const { snapshot } = await writeHuggingFaceRepo(join(root, 'hub'));
    const library = libraryOf({ huggingFaceCache: join(root, 'hub') });
    await writeFileAt(join(root, 'secret.txt'));
    await symlink(join(root, 'secret.txt'), join(snapshot, 'extra.json'));
    expect(await library.stateOf(repo)).toBe('partial');
    await rm(join(snapshot, 'extra.json'));
    expect(await library.folderOf(repo)).toBe(snapshot);
  });

  it('through other links count by their final target', async () => {
    const root = await tempFolder();
    const { repo: folder, snapshot } = await writeHuggingFaceRepo(join(root, 'hub'));
    const library = libraryOf({ huggingFaceCache: join(root, 'hub') });
    await writeFileAt(join(root, 'secret.txt'));
    await symlink(join(root, 'secret.txt'), join(folder, 'blobs', 'hop'));
    await symlink('../../blobs/hop', join(snapshot, 'extra.json'));
    expect(await library.stateOf(repo)).toBe('partial');
    await rename(join(folder, 'blobs'), join(root, 'blobs'));
    await symlink(join(root, 'blobs'), join(folder, 'blobs'));
    await rm(join(snapshot, 'extra.json'));
    expect(await library.stateOf(repo)).toBe('partial');
  });

  it('may be part of the path of a root', async () => {
    const root = await tempFolder();
    const { snapshot } = await writeHuggingFaceRepo(join(root, 'disk', 'hub'));
    await symlink(join(root, 'disk'), join(root, 'linked'));
    const found = await libraryOf({ huggingFaceCache: join(root, 'linked', 'hub') }).folderOf(repo);
    expect(found).toBe(snapshot.replace(`${join(root, 'disk')}/`, `${join(root, 'linked')}/`));
  });
});
