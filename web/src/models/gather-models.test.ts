import { describe, expect, it } from 'vitest';

import type { Download, Model } from '../api/wire.ts';
import { findModels, gatherModels, isSameModel } from './gather-models.ts';

const model = (repoId: string, more: Partial<Model> = {}): Model => ({
  repo_id: repoId,
  source: null,
  place: 'own',
  folder: `/models/${repoId}`,
  revision: null,
  size_bytes: 10,
  state: 'complete',
  is_used: true,
  is_removable: true,
  needed_by: [],
  ...more,
});

const download = (repoId: string, more: Partial<Download> = {}): Download => ({
  download_id: repoId,
  repo_id: repoId,
  source: 'huggingface',
  revision: null,
  files: [],
  state: 'running',
  bytes_done: 0,
  bytes_total: null,
  files_done: 0,
  files_total: null,
  bytes_per_s: null,
  seconds_left: null,
  started_at: '2026-05-01T12:00:00.000Z',
  ended_at: null,
  folder: null,
  error: null,
  ...more,
});

const missing = { place: null, folder: null, state: 'missing', is_removable: false } as const;

describe('gatherModels', () => {
  it('groups copies by repo, and is complete if one copy is', () => {
    const copies = [model('a/b', { state: 'partial' }), model('a/b', { place: 'huggingface', folder: '/c' })];
    expect(gatherModels(copies, [])).toMatchObject([{ repoId: 'a/b', state: 'complete', copies }]);
  });

  it('sorts incomplete models first, then by name', () => {
    const all = [model('a/a'), model('z/z', missing), model('c/c', { state: 'partial' }), model('b/b')];
    expect(gatherModels(all, []).map(({ repoId }) => repoId)).toEqual(['c/c', 'z/z', 'a/a', 'b/b']);
  });

  it('has the newest download of each repo, and lists downloads without files', () => {
    const newest = download('a/b', { download_id: '2' });
    const gathered = gatherModels([model('a/b')], [newest, download('a/b'), download('n/n')]);
    expect(gathered).toMatchObject([
      { repoId: 'n/n', state: 'missing', source: 'huggingface', copies: [] },
      { repoId: 'a/b', download: newest },
    ]);
  });

  it('changes only the model whose download progresses', () => {
    const models = [model('a/a'), model('b/b')];
    const before = gatherModels(models, [download('a/a')]);
    const after = gatherModels(models, [download('a/a', { bytes_done: 1 })]);
    const same = before.map((each, index) => isSameModel(each, after[index] ?? each));
    expect(same).toEqual([false, true]);
  });

  it('leaves out models that were downloaded and then deleted', () => {
    expect(gatherModels([], [download('a/b', { state: 'done' })])).toEqual([]);
  });
});

it('finds models by name, folder and the scripts that require them', () => {
  const all = gatherModels(
    [
      model('openai/whisper-tiny', { needed_by: [{ script_id: '1', script_name: '语音转文字' }] }),
      model('acme/detector', { folder: '/mnt/disk/acme' }),
    ],
    [],
  );
  const found = (query: string) => findModels(all, query).map(({ repoId }) => repoId);
  expect(found('TINY openai')).toEqual(['openai/whisper-tiny']);
  expect(found('语音')).toEqual(['openai/whisper-tiny']);
  expect(found('/mnt/disk')).toEqual(['acme/detector']);
  expect(found('tiny detector')).toEqual([]);
});
