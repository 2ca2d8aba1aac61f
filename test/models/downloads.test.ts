import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/hob.ts';
import { downloadsHere, pull } from '../support/hub/download-here.ts';
import { someBytes, someFiles, storedFile } from '../support/hub/stored-file.ts';
import { commit, TestHub } from '../support/hub/test-hub.ts';

async function scene(files = someFiles()) {
  const hub = await TestHub.start(files);
  const folder = await tempFolder();
  const downloads = await downloadsHere({ url: hub.url, folder });
  return { hub, folder, downloads, files };
}

/** Compares whole buffers, because comparing byte by byte would take longer than the download. */
async function holds(path: string, bytes: Buffer): Promise<boolean> {
  return bytes.equals(await readFile(path));
}

async function treeOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe('a download from Hugging Face', () => {
  it('has the same files in the cache as huggingface_hub creates, byte for byte', async () => {
    const { folder, downloads, files } = await scene();
    const ended = await pull(downloads);
    const repo = join(folder, 'hf', 'models--ada--tiny');
    expect(ended).toMatchObject({
      state: 'done',
      error: null,
      folder: join(repo, 'snapshots', commit),
      filesDone: files.length,
      filesTotal: files.length,
      bytesDone: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      secondsLeft: 0,
    });
    expect(await treeOf(repo)).toEqual(
      [
        `.hob/${commit}.json`,
        ...files.map(({ isLarge, sha256, gitSha }) => `blobs/${isLarge ? sha256 : gitSha}`),
        ...files.map(({ path }) => `snapshots/${commit}/${path}`),
        'refs/main',
        `trees/${commit}.json`,
      ].sort(),
    );
    for (const { path, bytes, isLarge, sha256, gitSha } of files) {
      const shown = join(repo, 'snapshots', commit, path);
      expect(await holds(shown, bytes)).toBe(true);
      const up = '../'.repeat(path.split('/').length + 1);
      expect(await readlink(shown)).toBe(`${up}blobs/${isLarge ? sha256 : gitSha}`);
    }
    expect(await readFile(join(repo, 'refs', 'main'), 'utf8')).toBe(commit);
    const tree = JSON.parse(await readFile(join(repo, 'trees', `${commit}.json`), 'utf8'));
    expect(tree).toEqual({
      format_version: 1,
      files: Object.fromEntries(
        files.map(({ path, bytes, isLarge, sha256, gitSha }) => [
          path,
          {
            size: bytes.length,
            blob_id: gitSha,
            ...(isLarge && { lfs_sha256: sha256, lfs_size: bytes.length }),
          },
        ]),
      ),
    });
  });

  it('fetches only the matching files, and the record lists all files', async () => {
    const { folder, downloads, hub } = await scene();
    expect(await pull(downloads, { files: ['*.json', 'onnx/*'] })).toMatchObject({
      state: 'done',
      filesTotal: 2,
    });
    const repo = join(folder, 'hf', 'models--ada--tiny');
    expect(await treeOf(join(repo, 'snapshots', commit))).toEqual(['config.json', 'onnx/model.onnx']);
    expect(hub.sent.map(({ path }) => path).sort()).toEqual(['config.json', 'onnx/model.onnx']);
    const { files } = JSON.parse(await readFile(join(repo, 'trees', `${commit}.json`), 'utf8'));
    expect(Object.keys(files)).toHaveLength(5);
  });

  it('without a matching file is refused, and names the existing files', async () => {
    const { downloads } = await scene();
    const { state, error } = await pull(downloads, { files: ['*.gguf'] });
    expect(state).toBe('failed');
    expect(error?.code).toBe('download-nothing-matches');
    expect(error?.message).toContain('*.gguf');
    expect(error?.hint?.en).toContain('model.safetensors');
  });

  it('does not fetch existing files again', async () => {
    const { downloads, hub, files } = await scene();
    await pull(downloads, { files: ['*.onnx'] });
    hub.sent.length = 0;
    expect(await pull(downloads)).toMatchObject({ state: 'done', filesDone: files.length });
    expect(hub.sent.map(({ path }) => path)).not.toContain('onnx/model.onnx');
    hub.sent.length = 0;
    expect(await pull(downloads)).toMatchObject({ state: 'done', filesDone: files.length });
    expect(hub.sent).toEqual([]);
  });

  it('fetches content with two names once', async () => {
    const bytes = someBytes(50_000);
    const { downloads, hub, folder } = await scene([
      storedFile('a.bin', bytes),
      storedFile('b/c.bin', bytes),
    ]);
    expect(await pull(downloads)).toMatchObject({ state: 'done' });
    expect(hub.sent).toHaveLength(1);
    const shown = join(folder, 'hf', 'models--ada--tiny', 'snapshots', commit);
    expect(await holds(join(shown, 'a.bin'), bytes)).toBe(true);
    expect(await holds(join(shown, 'b', 'c.bin'), bytes)).toBe(true);
  });

  it('accepts names with spaces, punctuation and non-ASCII letters unchanged', async () => {
    const names = [
      'a b.txt',
      '名字/模型 文件.json',
      'ünï/cödé+&=%25#?.bin',
      'e\u0301.txt',
      '[x]{y}$(z);\'".md',
    ];
    const files = names.map((name, seed) => storedFile(name, someBytes(30 + seed, seed + 1)));
    for (const source of ['huggingface', 'modelscope'] as const) {
      const { downloads } = await scene(files);
      const { folder, state } = await pull(downloads, { source });
      expect(state).toBe('done');
      for (const { path, bytes } of files) expect(await holds(join(folder ?? '', path), bytes)).toBe(true);
    }
  });

  it('of a commit or of a branch with a slash writes the matching ref, or none', async () => {
    const { downloads, folder } = await scene();
    const repo = join(folder, 'hf', 'models--ada--tiny');
    expect(await pull(downloads, { revision: commit })).toMatchObject({ state: 'done', revision: commit });
    expect(await readdir(repo)).not.toContain('refs');
    expect(await pull(downloads, { revision: 'refs/pr/1' })).toMatchObject({ state: 'done' });
    expect(await readFile(join(repo, 'refs', 'refs', 'pr', '1'), 'utf8')).toBe(commit);
  });
});

describe('a download from ModelScope', () => {
  it('is in the newer cache as plain files, with a record next to them', async () => {
    const { folder, downloads, files } = await scene();
    const ended = await pull(downloads, { source: 'modelscope' });
    const snapshot = join(folder, 'ms', 'models', 'ada--tiny', 'snapshots', 'master');
    expect(ended).toMatchObject({ state: 'done', folder: snapshot });
    expect(await treeOf(snapshot)).toEqual([...files.map(({ path }) => path), '.hob.json'].sort());
    for (const { path, bytes } of files) {
      expect(await holds(join(snapshot, path), bytes)).toBe(true);
      expect((await lstat(join(snapshot, path))).isFile()).toBe(true);
    }
    const record = JSON.parse(await readFile(join(snapshot, '.hob.json'), 'utf8'));
    expect(record.format_version).toBe(1);
    expect(record.files['config.json']).toMatchObject({ size: 21, lfs_size: 21 });
  });

  it('keeps correct files, and replaces changed ones', async () => {
    const { folder, downloads, hub, files } = await scene();
    await pull(downloads, { source: 'modelscope' });
    hub.sent.length = 0;
    const changed = storedFile('model.safetensors', someBytes(3_000_000, 9));
    hub.files = files.map((file) => (file.path === changed.path ? changed : file));
    expect(await pull(downloads, { source: 'modelscope' })).toMatchObject({ state: 'done' });
    expect(hub.sent.map(({ path }) => path)).toEqual(['model.safetensors']);
    const snapshot = join(folder, 'ms', 'models', 'ada--tiny', 'snapshots', 'master');
    expect(await holds(join(snapshot, 'model.safetensors'), changed.bytes)).toBe(true);
  });
});
