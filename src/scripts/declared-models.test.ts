import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { declaredModel } from './declared-models.ts';
import type { ModelNeed } from './script.ts';

const script = (...models: ModelNeed[]) => ({ ...someScript(), models });
const need = (files: string[], more: Partial<ModelNeed> = {}): ModelNeed => ({
  source: 'huggingface',
  repoId: 'acme/tiny',
  files,
  ...more,
});

describe('what scripts declare for a repo', () => {
  it('is nothing when none names it, in exactly this way', () => {
    expect(declaredModel([script(), script(need([]))], 'acme/Tiny')).toBeNull();
  });

  it('is the files of all of them, each once', () => {
    const scripts = [
      script(need(['*.onnx', 'config.json']), need(['other'], { repoId: 'acme/other' })),
      script(need(['config.json']), need(['*.txt'])),
    ];
    expect(declaredModel(scripts, 'acme/tiny')?.files).toEqual(['*.onnx', 'config.json', '*.txt']);
  });

  it('is all files when one of them names none', () => {
    expect(declaredModel([script(need(['*.onnx'])), script(need([]))], 'acme/tiny')?.files).toEqual([]);
  });

  it('has the source of the first', () => {
    const scripts = [script(need([], { source: 'modelscope' })), script(need([]))];
    expect(declaredModel(scripts, 'acme/tiny')?.source).toBe('modelscope');
  });
});
