import { readdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import {
  libraryOf,
  someFiles,
  writeFileAt,
  writeFiles,
  writeHuggingFaceRepo,
  writeOldModelScopeRepo,
} from '../../test/support/model-caches.ts';

const repo = { owner: 'Owner', name: 'name' };
const dotted = { owner: 'Owner', name: 'name-v1.5' };

describe('removing', () => {
  const everywhere = { kind: null, isDryRun: false } as const;

  it('deletes the whole repo from a cache, including blobs, and reports the freed bytes', async () => {
    const cache = await tempFolder();
    const library = libraryOf({ huggingFaceCache: cache });
    const { repo: folder } = await writeHuggingFaceRepo(cache, {
      files: { 'a.bin': 'a'.repeat(100_000), 'b.json': '{}' },
    });
    const wouldBe = await library.remove(repo, { kind: null, isDryRun: true });
    expect(await library.stateOf(repo)).toBe('complete');
    expect(await library.remove(repo, everywhere)).toEqual(wouldBe);
    expect(wouldBe.folder).toBe(folder);
    expect(wouldBe.freedBytes).toBeGreaterThanOrEqual(100_000);
    expect(wouldBe.freedBytes).toBeLessThan(200_000);
    expect(await readdir(cache)).toEqual([]);
    expect(await library.stateOf(repo)).toBe('missing');
  });

  it('deletes the link of the true name, and the folder of an owner without other models', async () => {
    const cache = await tempFolder();
    const library = libraryOf({ modelScopeCaches: { current: cache, old: cache } });
    await writeOldModelScopeRepo(cache, { repoId: 'Owner/name-v1.5' });
    await library.remove(dotted, everywhere);
    expect(await readdir(join(cache, 'models'))).toEqual([]);
  });

  it('keeps other models of the owner, and finishes an interrupted removal', async () => {
    const models = await tempFolder();
    const library = libraryOf({ models });
    await writeFiles(join(models, 'Owner', 'name'), someFiles);
    await writeFiles(join(models, 'Owner', 'other'), someFiles);
    await writeFiles(join(models, 'Owner', '.hob-removing-abc'), someFiles);
    await library.remove(repo, everywhere);
    expect(await readdir(join(models, 'Owner'))).toEqual(['other']);
  });

  it('checks for a running download last, after the measuring', async () => {
    const models = await tempFolder();
    await writeFiles(join(models, 'Owner', 'name'), someFiles);
    let isAsked = false;
    let checksAfter = 0;
    const isDownloading = () => {
      isAsked = true;
      return false;
    };
    const now = () => {
      if (isAsked) checksAfter++;
      return new Date();
    };
    await libraryOf({ models }, { isDownloading, clock: { now } }).remove(repo, everywhere);
    expect({ isAsked, checksAfter }).toEqual({ isAsked: true, checksAfter: 0 });
  });

  it('never follows a link out of the folder', async () => {
    const root = await tempFolder();
    const models = join(root, 'models');
    await writeFiles(join(models, 'Owner', 'name'), someFiles);
    await writeFileAt(join(root, 'precious', 'file'));
    await symlink(join(root, 'precious'), join(models, 'Owner', 'name', 'link'));
    await libraryOf({ models }).remove(repo, everywhere);
    expect(await readdir(join(root, 'precious'))).toEqual(['file']);
  });

  it('never shows a partial model while it runs', async () => {
    const models = await tempFolder();
    const names = Array.from({ length: 600 }, (_, index) => `part-${index}.bin`);
    await writeFiles(join(models, 'Owner', 'name'), Object.fromEntries(names.map((name) => [name, 'x'])));
    const library = libraryOf({ models });
    let isRemoved = false;
    const removal = library.remove(repo, everywhere).finally(() => {
      isRemoved = true;
    });
    const states = new Set<string>();
    while (!isRemoved) states.add(await library.stateOf(repo));
    await removal;
    states.delete('complete');
    expect([...states, await library.stateOf(repo)]).not.toContain('partial');
    expect(await library.stateOf(repo)).toBe('missing');
  });

  it('deletes the first copy, or the copy in the given place', async () => {
    const root = await tempFolder();
    const folders = { models: join(root, 'models'), huggingFaceCache: join(root, 'hub') };
    await writeFiles(join(folders.models, 'Owner', 'name'), someFiles);
    await writeHuggingFaceRepo(folders.huggingFaceCache);
    const library = libraryOf(folders);
    await library.remove(repo, { kind: 'huggingface', isDryRun: false });
    expect((await library.list()).map(({ place }) => place)).toEqual(['own']);
    await library.remove(repo, everywhere);
    await expect(library.remove(repo, everywhere)).rejects.toMatchObject({ code: 'model-not-downloaded' });
  });

  it('keeps a link of the true name that points to another folder', async () => {
    const cache = await tempFolder();
    await writeOldModelScopeRepo(cache, { repoId: 'Owner/name-v1.5' });
    const link = join(cache, 'models', 'Owner', 'name-v1.5');
    await unlink(link);
    await symlink(await tempFolder(), link);
    await libraryOf({ modelScopeCaches: { current: cache, old: cache } }).remove(dotted, everywhere);
    expect(await readdir(dirname(link))).toEqual(['name-v1.5']);
  });

  it('is refused in extra folders, and while the model is being downloaded', async () => {
    const root = await tempFolder();
    await writeFiles(join(root, 'extra', 'Owner', 'name'), someFiles);
    await writeFiles(join(root, 'own', 'Owner', 'name'), someFiles);
    const folders = { models: join(root, 'own'), extra: [join(root, 'extra')] };
    const busy = libraryOf(folders, { isDownloading: ({ name }) => name === 'name' });
    await expect(busy.remove(repo, everywhere)).rejects.toMatchObject({ code: 'model-downloading' });
    const library = libraryOf(folders);
    const inExtra = { kind: 'extra', isDryRun: false } as const;
    await expect(library.remove(repo, inExtra)).rejects.toMatchObject({ code: 'model-not-removable' });
    await library.remove(repo, everywhere);
    await expect(library.remove(repo, everywhere)).rejects.toMatchObject({ code: 'model-not-removable' });
    expect(await readdir(dirname(join(root, 'extra', 'Owner', 'name')))).toEqual(['name']);
  });
});
