import { appendFile, mkdir, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import {
  firstCommit,
  lateClock,
  libraryOf,
  secondCommit,
  someFiles,
  writeFileAt,
  writeFiles,
  writeHuggingFaceRepo,
  writeModelScopeRepo,
} from '../../test/support/model-caches.ts';
import { until } from '../../test/support/until.ts';
import { Memory } from './evidence.ts';

const repo = { owner: 'Owner', name: 'name' };

/** Waits for the next tick of the disk's clock, because two changes within one tick cannot be distinguished. */
async function nextTick(folder: string): Promise<void> {
  const probe = join(folder, '.tick');
  const at = async () => {
    await writeFile(probe, '');
    return (await stat(probe, { bigint: true })).ctimeNs;
  };
  const before = await at();
  await until('the next tick of the disk clock', async () => (await at()) > before);
}

describe('a cached finding', () => {
  it.each([
    ['the repo is deleted', ({ folder }: Scene) => rm(folder, { recursive: true })],
    ['the repo is renamed', ({ folder }: Scene) => rename(folder, `${folder}-away`)],
    ['the snapshot is deleted', ({ snapshot }: Scene) => rm(snapshot, { recursive: true })],
    ['a file deep in it is deleted', ({ snapshot }: Scene) => rm(join(snapshot, 'onnx', 'model.onnx'))],
    ['a blob is deleted', ({ blob }: Scene) => rm(blob)],
    ['a blob is truncated in place', ({ blob }: Scene) => truncate(blob, 1)],
    ['the cache is moved', ({ cache }: Scene) => rename(cache, `${cache}-away`)],
    [
      'the snapshot is replaced by a link to it',
      async ({ snapshot, root }: Scene) => {
        await rename(snapshot, join(root, 'elsewhere'));
        await symlink(join(root, 'elsewhere'), snapshot);
      },
    ],
  ])('is not returned once %s', async (_what, change) => {
    const scene = await warmScene();
    await change(scene);
    expect(await scene.library.folderOf(repo)).toBeNull();
  });

  it.each([
    ['an unfinished file appears', ({ own }: Pick<Scene, 'own'>) => writeFileAt(join(own, 'onnx', 'x.part'))],
    [
      'an index that names a shard grows in place',
      ({ own }: Pick<Scene, 'own'>) =>
        writeFile(join(own, 'a.index.json'), '{"weight_map":{"a":"gone.bin"}}'),
    ],
  ])('of plain files is not returned once %s', async (_what, change) => {
    const root = await tempFolder();
    const own = join(root, 'models', 'Owner', 'name');
    await writeFiles(own, { ...someFiles, 'a.index.json': '{}' });
    const library = libraryOf({ models: join(root, 'models') }, { clock: lateClock });
    expect(await library.folderOf(repo)).toBe(own);
    await nextTick(root);
    await change({ own });
    expect(await library.folderOf(repo)).toBeNull();
  });

  it('is replaced by a copy in an earlier place, and returns when that copy is removed', async () => {
    const { library, root, snapshot, own } = await warmScene();
    await writeFiles(own, someFiles);
    expect(await library.folderOf(repo)).toBe(own);
    await nextTick(root);
    await rm(own, { recursive: true });
    expect(await library.folderOf(repo)).toBe(snapshot);
  });

  it('is replaced by the snapshot that a ref now names', async () => {
    const { library, root, cache, folder } = await warmScene();
    const newer = await writeHuggingFaceRepo(cache, { commit: secondCommit, refs: [] });
    expect(await library.folderOf(repo)).toBe(join(folder, 'snapshots', firstCommit));
    await nextTick(root);
    await writeFile(join(folder, 'refs', 'main'), secondCommit);
    expect(await library.folderOf(repo)).toBe(newer.snapshot);
  });

  it('depends on the files that scripts need', async () => {
    const cache = await tempFolder();
    const { snapshot } = await writeHuggingFaceRepo(cache);
    let globs = ['*.onnx'];
    const wanted = () => ({ isAll: false, globs });
    const library = libraryOf({ huggingFaceCache: cache }, { wanted, clock: lateClock });
    expect(await library.folderOf(repo)).toBe(snapshot);
    globs = ['*.gguf'];
    expect(await library.folderOf(repo)).toBeNull();
    globs = ['*.json'];
    expect(await library.folderOf(repo)).toBe(snapshot);
  });
});

describe('a cached finding that the model is missing', () => {
  it.each([
    [
      "Hob's own folder",
      ({ root }: { root: string }) => writeFiles(join(root, 'models', 'Owner', 'name'), someFiles),
    ],
    ['the Hugging Face cache', ({ root }: { root: string }) => writeHuggingFaceRepo(join(root, 'hub'))],
    ['the cache of ModelScope', ({ root }: { root: string }) => writeModelScopeRepo(join(root, 'scope'))],
    ['an extra folder', ({ root }: { root: string }) => writeHuggingFaceRepo(join(root, 'extra'))],
  ])('is not returned once the model appears in %s', async (_where, write) => {
    const root = await tempFolder();
    await mkdir(join(root, 'hub'));
    const library = libraryOf(
      {
        models: join(root, 'models'),
        huggingFaceCache: join(root, 'hub'),
        modelScopeCaches: { current: join(root, 'scope'), old: join(root, 'scope') },
        extra: [join(root, 'extra')],
      },
      { clock: lateClock },
    );
    expect(await library.folderOf(repo)).toBeNull();
    await nextTick(root);
    await write({ root });
    expect(await library.folderOf(repo)).not.toBeNull();
  });

  it('is not returned once the missing file exists', async () => {
    const { library, root, blob } = await warmScene();
    await rm(blob);
    expect(await library.folderOf(repo)).toBeNull();
    await nextTick(root);
    await writeFile(blob, someFiles['onnx/model.onnx'] ?? '');
    expect(await library.folderOf(repo)).not.toBeNull();
  });
});

describe('sizes', () => {
  it('are current', async () => {
    const { library, root, blob } = await warmScene();
    const [before] = await library.list();
    await nextTick(root);
    await appendFile(blob, 'x'.repeat(1_000_000));
    const [after] = await library.list();
    expect((after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0)).toBeGreaterThan(900_000);
  });
});

describe('a memory', () => {
  it('searches again while the observed files have changed recently', async () => {
    const folder = await tempFolder();
    let searches = 0;
    const recall = (memory: Memory<number>) =>
      memory.recall('key', async (witness) => {
        await witness.look(folder);
        return ++searches;
      });
    const recent = new Memory<number>(Date.now);
    await recall(recent);
    await recall(recent);
    expect(searches).toBe(2);
    const settled = new Memory<number>(() => lateClock.now().getTime());
    await recall(settled);
    await recall(settled);
    expect(searches).toBe(3);
  });

  it('never returns a search that started before the call, and shares one search between waiting calls', async () => {
    const memory = new Memory<number>(Date.now);
    const gates: (() => void)[] = [];
    let begun = 0;
    const ask = () =>
      memory.recall('key', async () => {
        const number = ++begun;
        await new Promise<void>((resolve) => gates.push(resolve));
        return number;
      });
    const first = ask();
    await until('the search has started', async () => begun === 1);
    const later = [ask(), ask(), ask()];
    gates.shift()?.();
    expect(await first).toBe(1);
    await until('the next search has started', async () => begun === 2);
    gates.shift()?.();
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
  });

  it('does not cache a failed search', async () => {
    const memory = new Memory<string>(Date.now);
    const failing = memory.recall('key', async () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await memory.recall('key', async () => 'yes')).toBe('yes');
  });
});

interface Scene {
  readonly root: string;
  readonly cache: string;
  readonly folder: string;
  readonly snapshot: string;
  readonly blob: string;
  readonly own: string;
  readonly library: ReturnType<typeof libraryOf>;
}

/** A library that has cached the finding of a model in the Hugging Face cache. */
async function warmScene(): Promise<Scene> {
  const root = await tempFolder();
  const cache = join(root, 'hub');
  const { repo: folder, snapshot, blobOf } = await writeHuggingFaceRepo(cache, { hasTree: true });
  const models = join(root, 'models');
  await mkdir(models);
  const library = libraryOf({ models, huggingFaceCache: cache }, { clock: lateClock });
  expect(await library.folderOf(repo)).toBe(snapshot);
  await nextTick(root);
  const own = join(models, 'Owner', 'name');
  return { root, cache, folder, snapshot, blob: blobOf('onnx/model.onnx'), own, library };
}
