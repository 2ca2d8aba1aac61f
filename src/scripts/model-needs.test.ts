import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { ModelNeeds } from './model-needs.ts';
import type { ModelNeed, Script } from './script.ts';

const needing = (id: string, models: ModelNeed[]): Script => someScript({ id, name: id, models });
const need = (repoId: string, files: string[], source: ModelNeed['source'] = 'huggingface'): ModelNeed => ({
  repoId,
  files,
  source,
});

describe('the models that scripts need', () => {
  it('are collected by repo, over all scripts that declare it', () => {
    const scripts = [
      needing('one', [need('a/b', ['*.onnx', '*.json']), need('c/d', [])]),
      needing('two', [need('a/b', ['*.json', '*.bin'], 'modelscope'), need('c/d', ['*.gguf'])]),
      needing('three', [need('a/b', ['*.txt']), need('a/b', ['*.md'])]),
    ];
    const needs = new ModelNeeds({ version: 1, scripts: () => scripts });
    expect(needs.of('a/b')).toEqual({
      repoId: 'a/b',
      source: 'huggingface',
      isAll: false,
      globs: ['*.onnx', '*.json', '*.bin', '*.txt', '*.md'],
      scripts: [
        { id: 'one', name: 'one' },
        { id: 'two', name: 'two' },
        { id: 'three', name: 'three' },
      ],
    });
    expect(needs.of('c/d')).toMatchObject({ isAll: true, globs: ['*.gguf'] });
    expect(needs.of('A/b')).toBeNull();
    expect(needs.all().map(({ repoId }) => repoId)).toEqual(['a/b', 'c/d']);
  });

  it('are collected again only when the catalogue has changed', () => {
    let gathered = 0;
    const catalogue = {
      version: 1,
      scripts: () => {
        gathered++;
        return [needing('one', [need(`a/v${catalogue.version}`, [])])];
      },
    };
    const needs = new ModelNeeds(catalogue);
    expect([needs.of('a/v1') !== null, needs.of('a/v2') !== null, gathered]).toEqual([true, false, 1]);
    catalogue.version = 2;
    expect([needs.of('a/v1') !== null, needs.of('a/v2') !== null, gathered]).toEqual([false, true, 2]);
  });
});
