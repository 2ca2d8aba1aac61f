import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startTicksOf } from '../../src/shared/process-stat.ts';
import { tempFolder } from '../support/hob.ts';
import { downloadsHere, endOf, pull, requestFor, tiny } from '../support/hub/download-here.ts';
import { type StoredFile, someBytes, storedFile } from '../support/hub/stored-file.ts';
import { commit, TestHub } from '../support/hub/test-hub.ts';
import { libraryOf } from '../support/model-caches.ts';
import { until } from '../support/until.ts';

const source = 'modelscope';

async function scene(files: readonly StoredFile[]) {
  const hub = await TestHub.start(files);
  const folder = await tempFolder();
  const downloads = await downloadsHere({ url: hub.url, folder });
  const cache = join(folder, 'ms');
  const library = libraryOf({ modelScopeCaches: { current: cache, old: join(folder, 'none') } });
  return { hub, folder, downloads, library, snapshot: join(cache, 'models/ada--tiny/snapshots/master') };
}

describe('in the cache of ModelScope', () => {
  it('two files of equal content whose names end alike do not disturb each other', async () => {
    const bytes = someBytes(300_000);
    const paths = ['tokenizer/tokenizer_config.json', 'tokenizer_2/tokenizer_config.json'];
    const { downloads, snapshot } = await scene(paths.map((path) => storedFile(path, bytes)));
    expect(await pull(downloads, { source })).toMatchObject({ state: 'done', error: null, filesDone: 2 });
    for (const path of paths) expect(bytes.equals(await readFile(join(snapshot, path)))).toBe(true);
  });

  it('a model with some new and some old files is incomplete, even if all sizes are unchanged', async () => {
    const old = [storedFile('a.bin', someBytes(200_000, 1)), storedFile('b.bin', someBytes(100_000, 2))];
    const changed = [storedFile('a.bin', someBytes(200_000, 3)), storedFile('b.bin', someBytes(100_000, 4))];
    const { hub, downloads, library, snapshot } = await scene(old);
    await pull(downloads, { source });
    expect(await library.stateOf(tiny)).toBe('complete');

    hub.files = changed;
    hub.fail('b.bin', { kind: 'stall', afterBytes: 10 });
    const { id } = downloads.start(requestFor({ source })).download;
    await until('one of two is there', async () => downloads.find(id)?.filesDone === 1);
    expect(await library.stateOf(tiny)).toBe('partial');
    downloads.cancel(id);
    await endOf(downloads, id);
    expect(await library.stateOf(tiny)).toBe('partial');

    expect(await pull(downloads, { source })).toMatchObject({ state: 'done' });
    expect(await library.stateOf(tiny)).toBe('complete');
    for (const { path, bytes } of changed)
      expect(bytes.equals(await readFile(join(snapshot, path)))).toBe(true);
  });

  it('a complete model of another program stays complete when a download finds no space', async () => {
    const [known, unknown] = [
      storedFile('a.bin', someBytes(50_000)),
      storedFile('b.bin', someBytes(50_000, 2)),
    ];
    const { hub, downloads, library, snapshot } = await scene([known, unknown]);
    await mkdir(snapshot, { recursive: true });
    await writeFile(join(snapshot, 'a.bin'), known.bytes);
    hub.alter = (entries) =>
      entries.map((entry) => (entry.Path === 'b.bin' ? { ...entry, Size: 2 ** 52 } : entry));
    expect(await pull(downloads, { source })).toMatchObject({ error: { code: 'resources-exhausted' } });
    expect(await readdir(snapshot)).toEqual(['a.bin']);
    expect(await library.stateOf(tiny)).toBe('complete');
  });
});

it.each(['huggingface', 'modelscope'] as const)(
  'a cache that is removed during a download from %s is reported as such, and the next download works',
  async (from) => {
    const model = storedFile('model.bin', someBytes(2_000_000));
    const { hub, folder, downloads } = await scene([model]);
    hub.fail('model.bin', { kind: 'slow', bytes: 200_000, everyMs: 30 });
    const { id } = downloads.start(requestFor({ source: from })).download;
    await until('a part of it is there', async () => (downloads.find(id)?.bytesDone ?? 0) > 300_000);
    await rm(join(folder, from === 'huggingface' ? 'hf' : 'ms'), { recursive: true });
    expect(await endOf(downloads, id)).toMatchObject({
      state: 'failed',
      error: { code: 'download-cache-unusable' },
    });
    expect(await pull(downloads, { source: from })).toMatchObject({ state: 'done' });
  },
);

it('an obstacle in the place of the claim on a repo is reported as such', async () => {
  const { folder, downloads } = await scene([storedFile('a.bin', someBytes(100))]);
  const claim = `hob-${process.pid}-${startTicksOf(process.pid) ?? 'x'}.claim`;
  await mkdir(join(folder, 'hf', '.locks', 'models--ada--tiny', claim), { recursive: true });
  expect(await pull(downloads)).toMatchObject({ error: { code: 'download-cache-unusable' } });
});

it('drafts that a killed process left are removed by the next download', async () => {
  const { folder, downloads } = await scene([storedFile('a.bin', someBytes(100))]);
  const repo = join(folder, 'hf', 'models--ada--tiny');
  const drafts = [`snapshots/${commit}/a.bin.hob.tmp`, `trees/${commit}.json.hob.tmp`, 'refs/main.hob.tmp'];
  for (const draft of drafts) {
    await mkdir(join(repo, dirname(draft)), { recursive: true });
    await writeFile(join(repo, draft), 'half');
  }
  expect(await pull(downloads)).toMatchObject({ state: 'done' });
  const names = await readdir(repo, { recursive: true });
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
