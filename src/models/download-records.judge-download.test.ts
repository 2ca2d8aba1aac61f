import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import {
  fileList,
  firstCommit,
  libraryOf,
  type ModelFiles,
  writeFileAt,
  writeFiles,
  writeHuggingFaceRepo,
  writeOldModelScopeRepo,
} from '../../test/support/model-caches.ts';
import { askedRecord } from './download-records.ts';

const repo = { owner: 'Owner', name: 'name' };
const files: ModelFiles = {
  'config.json': '{}',
  'model.onnx': 'weights',
  'model.safetensors': 'other weights',
};

/** The state of a model in the cache of huggingface_hub that has these files. */
async function judge(
  there: ModelFiles,
  { list, globs, isAll }: { list: string | null; globs: string[]; isAll?: boolean },
) {
  const cache = await tempFolder();
  const { repo: folder } = await writeHuggingFaceRepo(cache, { files: there });
  if (list !== null) await writeFileAt(join(folder, 'trees', `${firstCommit}.json`), list);
  const wanted = { globs, isAll: isAll ?? globs.length === 0 };
  return libraryOf({ huggingFaceCache: cache }, { wanted: () => wanted }).stateOf(repo);
}

const { 'model.safetensors': _other, ...withoutOther } = files;

describe('with a list of its files, a model', () => {
  const list = fileList(files);

  it.each([
    ['all files are there', files, []],
    ['all matching files are there', withoutOther, ['*.onnx', 'config.json']],
    ['a glob matches nothing but another does', withoutOther, ['*.onnx', '*.gguf']],
    ['there are more files than in the list', { ...files, 'more.bin': 'x' }, []],
  ])('is complete when %s', async (_why, there, globs) => {
    expect(await judge(there, { list, globs })).toBe('complete');
  });

  it.each([
    ['a file is missing', withoutOther, []],
    ['a matching file is missing', withoutOther, ['*.safetensors']],
    ['no file of the list matches', files, ['*.gguf']],
    ['a file is too short', { ...files, 'model.onnx': 'weight' }, ['*.onnx']],
    ['a file is too long', { ...files, 'model.onnx': 'weights!' }, ['*.onnx']],
    ['the name of a file differs in case', { ...withoutOther, 'Model.safetensors': 'other weights' }, []],
  ])('is partial when %s', async (_why, there, globs) => {
    expect(await judge(there, { list, globs })).toBe('partial');
  });

  it('needs every file when one script names no globs', async () => {
    expect(await judge(withoutOther, { list, globs: ['*.onnx'], isAll: true })).toBe('partial');
  });

  it.each([
    [['*.onnx', 'config.json'], 'complete'],
    [['*.safetensors'], 'partial'],
    [[], 'partial'],
    [null, 'partial'],
  ])('that no script names, and of which users requested %j, is %s', async (asked, state) => {
    const cache = await tempFolder();
    const { repo: folder } = await writeHuggingFaceRepo(cache, { files: withoutOther });
    await writeFileAt(join(folder, 'trees', `${firstCommit}.json`), list);
    if (asked !== null) await writeFileAt(join(folder, '.hob', `${firstCommit}.json`), askedRecord(asked));
    expect(await libraryOf({ huggingFaceCache: cache }).stateOf(repo)).toBe(state);
    const wanted = { globs: ['*.safetensors'], isAll: false };
    expect(await libraryOf({ huggingFaceCache: cache }, { wanted: () => wanted }).stateOf(repo)).toBe(
      'partial',
    );
  });

  it('uses lfs_size when the list has two sizes', async () => {
    const entry = { size: 130, lfs_size: 7, blob_id: 'x', lfs_sha256: 'y' };
    const lfs = JSON.stringify({ format_version: 1, files: { 'model.onnx': entry } });
    expect(await judge(files, { list: lfs, globs: ['*.onnx'] })).toBe('complete');
  });

  it.each([
    ['../../../../etc/passwd', 1],
    ['/etc/passwd', 1],
    ['model.onnx/../model.onnx', 7],
    ['', 0],
  ])('is partial when the list has the hostile path %j', async (path, size) => {
    const hostile = JSON.stringify({ format_version: 1, files: { [path]: { size } } });
    expect(await judge(files, { list: hostile, globs: [] })).toBe('partial');
  });
});

describe('a list that cannot be read', () => {
  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"format_version":2,"files":{}}',
    '{"format_version":1,"files":[]}',
    '{"format_version":1,"files":{"gone.bin":{"size":"7"}}}',
    '{"format_version":1,"files":{"gone.bin":null}}',
  ])('is ignored: %j', async (list) => {
    expect(await judge(files, { list, globs: [] })).toBe('complete');
  });
});

describe('without a list, a model', () => {
  it.each([
    [files, []],
    [files, ['*.onnx', '*.json']],
  ])('with %j is complete for %j', async (there, globs) => {
    expect(await judge(there, { list: null, globs })).toBe('complete');
  });

  it.each([
    ['a declared glob matches nothing', files, ['*.onnx', '*.gguf'], false],
    ['a declared glob matches nothing, though another script wants all', files, ['*.gguf'], true],
    ['there is a temporary file', { ...files, 'a.bin.incomplete': '' }, [], true],
    [
      'a shard is missing',
      { ...files, 'm.index.json': JSON.stringify({ weight_map: { a: 'm-1.bin' } }) },
      [],
      true,
    ],
  ])('is partial when %s', async (_why, there, globs, isAll) => {
    expect(await judge(there, { list: null, globs, isAll })).toBe('partial');
  });

  it('is partial while a link is broken', async () => {
    const models = await tempFolder();
    await writeFiles(join(models, 'Owner', 'name'), files);
    await symlink('gone', join(models, 'Owner', 'name', 'more.bin'));
    expect(await libraryOf({ models }).stateOf(repo)).toBe('partial');
    await writeFile(join(models, 'Owner', 'name', 'gone'), 'x');
    expect(await libraryOf({ models }).stateOf(repo)).toBe('complete');
  });

  it('is missing while there are only hidden files', async () => {
    const models = await tempFolder();
    await writeFileAt(join(models, 'Owner', 'name', '.DS_Store'));
    await writeFileAt(join(models, 'Owner', 'name', '.cache', 'huggingface', 'x.metadata'));
    expect(await libraryOf({ models }).stateOf(repo)).toBe('missing');
  });
});

describe("ModelScope's mark of a finished download", () => {
  it('does not prove that the needed files were downloaded', async () => {
    const cache = await tempFolder();
    const folder = await writeOldModelScopeRepo(cache, { files });
    const caches = { modelScopeCaches: { current: cache, old: cache } };
    const needing = (globs: string[]) => libraryOf(caches, { wanted: () => ({ isAll: false, globs }) });
    expect(await needing(['*.onnx']).stateOf(repo)).toBe('complete');
    expect(await needing(['*.gguf']).stateOf(repo)).toBe('partial');
    await rm(join(folder, 'model.onnx'));
    expect(await needing(['*.onnx']).stateOf(repo)).toBe('partial');
  });
});
