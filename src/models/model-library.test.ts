import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { libraryOf } from '../../test/support/model-caches.ts';

const repo = { owner: 'Owner', name: 'name' };
const [first, second] = ['a'.repeat(40), 'b'.repeat(40)] as const;

/** An empty library, and the folders that it searches. */
async function emptyLibrary() {
  const folder = await tempFolder();
  const models = join(folder, 'models');
  const huggingFaceCache = join(folder, 'hub');
  await mkdir(models);
  await mkdir(huggingFaceCache);
  return {
    folder,
    library: libraryOf({ models, huggingFaceCache }),
    own: join(models, 'Owner', 'name'),
    cached: join(huggingFaceCache, 'models--Owner--name'),
    models,
    huggingFaceCache,
  };
}

async function write(path: string, content = 'x'): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Writes a snapshot like huggingface_hub: links to blobs. */
async function snapshot(cached: string, sha: string, files: readonly string[]): Promise<string> {
  const folder = join(cached, 'snapshots', sha);
  await mkdir(folder, { recursive: true });
  for (const file of files) {
    const blob = `blob-of-${sha.slice(0, 4)}-${file.replaceAll('/', '-')}`;
    await write(join(cached, 'blobs', blob));
    await mkdir(dirname(join(folder, file)), { recursive: true });
    const up = file.split('/').map(() => '..');
    await symlink(join(...up, '..', 'blobs', blob), join(folder, file));
  }
  return folder;
}

describe("a model in Hob's own folder", () => {
  it('is found by owner and name', async () => {
    const { library, own } = await emptyLibrary();
    expect(await library.folderOf(repo)).toBeNull();
    await write(join(own, 'onnx', 'model.onnx'));
    expect(await library.folderOf(repo)).toBe(own);
  });

  it('is not found under another name, or with another case', async () => {
    const { library, own } = await emptyLibrary();
    await write(join(own, 'model.onnx'));
    for (const other of [
      { owner: 'owner', name: 'name' },
      { owner: 'Owner', name: 'Name' },
      { owner: 'Owner', name: 'nam' },
    ])
      expect(await library.folderOf(other)).toBeNull();
  });

  it('is not downloaded while its folder is empty, or is a file', async () => {
    const { library, own } = await emptyLibrary();
    await mkdir(join(own, 'onnx'), { recursive: true });
    expect(await library.folderOf(repo)).toBeNull();
    await rm(own, { recursive: true });
    await write(own);
    expect(await library.folderOf(repo)).toBeNull();
  });

  it.each([
    'model.onnx.incomplete',
    'model.bin.part',
    'x.tmp',
    'model.aria2',
    '._____temp/model.bin',
    'sub/model.safetensors.incomplete',
    'X.PARTIAL',
  ])('is not downloaded while there is %s', async (name) => {
    const { library, own } = await emptyLibrary();
    await write(join(own, 'config.json'), '{}');
    await write(join(own, name));
    expect(await library.folderOf(repo)).toBeNull();
    await rm(join(own, name.split('/')[0] ?? ''), { recursive: true });
    expect(await library.folderOf(repo)).toBe(own);
  });

  it('is not downloaded while a shard that its index names is missing', async () => {
    const { library, own } = await emptyLibrary();
    const index = {
      metadata: {},
      weight_map: { a: 'model-1.safetensors', b: 'model-2.safetensors', c: 'model-1.safetensors' },
    };
    await write(join(own, 'model.safetensors.index.json'), JSON.stringify(index));
    await write(join(own, 'model-1.safetensors'));
    expect(await library.folderOf(repo)).toBeNull();
    await write(join(own, 'model-2.safetensors'));
    expect(await library.folderOf(repo)).toBe(own);
  });

  it('has its shards in the folder of the index, also in a subfolder', async () => {
    const { library, own } = await emptyLibrary();
    await write(join(own, 'unet', 'model.index.json'), JSON.stringify({ weight_map: { a: 'part.bin' } }));
    await write(join(own, 'part.bin'));
    expect(await library.folderOf(repo)).toBeNull();
    await write(join(own, 'unet', 'part.bin'));
    expect(await library.folderOf(repo)).toBe(own);
  });

  it.each(['[]', '{}', '{"weight_map":[]}', '{"weight_map":{"a":5}}'])(
    'is downloaded when an index names no shards: %s',
    async (index) => {
      const { library, own } = await emptyLibrary();
      await write(join(own, 'x.index.json'), index);
      expect(await library.folderOf(repo)).toBe(own);
    },
  );

  it('is not found through a link that leads out of the folder', async () => {
    const { library, own, folder } = await emptyLibrary();
    await write(join(folder, 'elsewhere', 'secret.txt'));
    await mkdir(dirname(own), { recursive: true });
    await symlink(join(folder, 'elsewhere'), own);
    expect(await library.folderOf(repo)).toBeNull();
  });

  it('may be in a home that is a link', async () => {
    const { folder, models, huggingFaceCache } = await emptyLibrary();
    await write(join(models, 'Owner', 'name', 'model.onnx'));
    await symlink(models, join(folder, 'linked'));
    const library = libraryOf({ models: join(folder, 'linked'), huggingFaceCache });
    expect(await library.folderOf(repo)).toBe(join(folder, 'linked', 'Owner', 'name'));
  });
});

describe('a model in the Hugging Face cache', () => {
  it('is found by its snapshot', async () => {
    const { library, cached } = await emptyLibrary();
    const folder = await snapshot(cached, first, ['config.json', 'onnx/model.onnx']);
    await write(join(cached, 'refs', 'main'), first);
    expect(await library.folderOf(repo)).toBe(folder);
  });

  it('is the snapshot of main, or else the newest', async () => {
    const { library, cached } = await emptyLibrary();
    const older = await snapshot(cached, first, ['config.json']);
    const newer = await snapshot(cached, second, ['config.json']);
    await utimes(older, 1_000_000, 1_000_000);
    await utimes(newer, 2_000_000, 2_000_000);
    expect(await library.folderOf(repo)).toBe(newer);
    await write(join(cached, 'refs', 'main'), `${first}\n`);
    expect(await library.folderOf(repo)).toBe(older);
    await write(join(cached, 'refs', 'main'), '../../../etc');
    expect(await library.folderOf(repo)).toBe(newer);
  });

  it('may consist of plain files, as on Windows', async () => {
    const { library, cached } = await emptyLibrary();
    await write(join(cached, 'snapshots', first, 'config.json'));
    expect(await library.folderOf(repo)).toBe(join(cached, 'snapshots', first));
  });

  it('is not downloaded when there are only a ref, a blob or an empty snapshot', async () => {
    const { library, cached } = await emptyLibrary();
    await mkdir(cached);
    expect(await library.folderOf(repo)).toBeNull();
    await write(join(cached, 'refs', 'main'), first);
    await write(join(cached, 'blobs', 'abc'));
    expect(await library.folderOf(repo)).toBeNull();
    await mkdir(join(cached, 'snapshots', first), { recursive: true });
    expect(await library.folderOf(repo)).toBeNull();
  });

  it('is not downloaded while one of its links is broken', async () => {
    const { library, cached } = await emptyLibrary();
    const folder = await snapshot(cached, first, ['config.json', 'model.onnx']);
    await rm(join(cached, 'blobs', 'blob-of-aaaa-model.onnx'));
    expect(await library.folderOf(repo)).toBeNull();
    await write(join(cached, 'blobs', 'blob-of-aaaa-model.onnx'));
    expect(await library.folderOf(repo)).toBe(folder);
  });

  it('is downloaded even if another download left a partial blob', async () => {
    const { library, cached } = await emptyLibrary();
    const folder = await snapshot(cached, first, ['config.json']);
    await write(join(cached, 'blobs', 'abc.incomplete'));
    expect(await library.folderOf(repo)).toBe(folder);
  });

  it('is an older complete snapshot rather than a newer partial one', async () => {
    const { library, cached } = await emptyLibrary();
    const whole = await snapshot(cached, first, ['config.json']);
    await snapshot(cached, second, ['config.json', 'model.onnx']);
    await rm(join(cached, 'blobs', 'blob-of-bbbb-model.onnx'));
    await write(join(cached, 'refs', 'main'), second);
    expect(await library.folderOf(repo)).toBe(whole);
  });

  it('is found even if other entries in the folder of snapshots are invalid', async () => {
    const { library, cached } = await emptyLibrary();
    const folder = await snapshot(cached, first, ['config.json']);
    await symlink('nowhere', join(cached, 'snapshots', second));
    await write(join(cached, 'snapshots', 'main', 'config.json'));
    expect(await library.folderOf(repo)).toBe(folder);
  });

  it('is not found with another case', async () => {
    const { library, cached } = await emptyLibrary();
    await snapshot(cached, first, ['config.json']);
    expect(await library.folderOf({ owner: 'owner', name: 'name' })).toBeNull();
  });

  it.each(['repo', 'snapshot'])(
    'is not found through a link that leads out of the cache: %s',
    async (what) => {
      const { library, cached, folder } = await emptyLibrary();
      await snapshot(join(folder, 'elsewhere'), first, ['config.json']);
      if (what === 'repo') await symlink(join(folder, 'elsewhere'), cached);
      else {
        await mkdir(join(cached, 'snapshots'), { recursive: true });
        await symlink(join(folder, 'elsewhere', 'snapshots', first), join(cached, 'snapshots', first));
      }
      expect(await library.folderOf(repo)).toBeNull();
    },
  );

  it("comes after Hob's own copy", async () => {
    const { library, cached, own } = await emptyLibrary();
    await snapshot(cached, first, ['config.json']);
    await write(join(own, 'config.json'));
    expect(await library.folderOf(repo)).toBe(own);
  });

  it('is not found when there is no cache', async () => {
    const { library, huggingFaceCache, models } = await emptyLibrary();
    await rm(huggingFaceCache, { recursive: true });
    await rm(models, { recursive: true });
    expect(await library.folderOf(repo)).toBeNull();
  });
});
