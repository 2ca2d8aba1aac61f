import { describe, expect, it } from 'vitest';

import { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import { readDownloadFields } from './models.ts';

const asked = (more: JsonObject) => readDownloadFields({ repo_id: 'acme/tiny', ...more });

function refusal(fields: JsonObject): AppError {
  try {
    readDownloadFields(fields);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error(`${JSON.stringify(fields)} was accepted`);
}

describe('a download request', () => {
  it('needs only the repo', () => {
    expect(asked({})).toEqual({
      repo: { owner: 'acme', name: 'tiny' },
      source: null,
      files: null,
      revision: null,
    });
    expect(asked({ source: null, files: null, revision: null })).toEqual(asked({}));
  });

  it('keeps an empty list of globs, which means all files, distinct from no list', () => {
    expect(asked({ files: [] }).files).toEqual([]);
    expect(asked({ files: ['*.onnx', '分词/**'] }).files).toEqual(['*.onnx', '分词/**']);
  });

  it.each([undefined, null, 5, '', 'acme', 'acme/../etc', 'https://hub.test/acme/tiny', ['acme/tiny']])(
    'is refused with the repo_id %j',
    (repo_id) => {
      const error = refusal(repo_id === undefined ? {} : { repo_id });
      expect(error.code).toBe('repo-id-invalid');
      expect([error.text.en, error.text.zh, error.hint?.en, error.hint?.zh]).not.toContain('');
    },
  );

  it.each<JsonObject>([
    { source: 'github' },
    { source: 'HuggingFace' },
    { source: ['huggingface'] },
    { files: '*.onnx' },
    { files: {} },
    { files: [''] },
    { files: ['a', 5] },
    { files: ['a\0b'] },
    { files: ['a\nb'] },
    { files: ['\ud800'] },
    { files: ['x'.repeat(201)] },
    { files: Array(101).fill('*') },
    { revision: '' },
    { revision: 7 },
    { revision: '..' },
    { revision: 'a/../b' },
    { revision: '/main' },
    { revision: 'main/' },
    { revision: 'a//b' },
    { revision: '.hidden' },
    { revision: 'main?x=1' },
    { revision: 'main#x' },
    { revision: 'a b' },
    { revision: 'main\n' },
    { revision: '分支' },
    { revision: 'v1.' },
    { revision: 'x'.repeat(201) },
  ])('is refused with %j', (fields) => {
    const error = refusal({ repo_id: 'acme/tiny', ...fields });
    const [name = ''] = Object.keys(fields);
    expect(error.code).toBe('field-invalid');
    expect(error.text.en).toContain(`${name} must be`);
    expect(error.text.zh).toContain(`${name} 应为`);
  });

  it.each(['main', 'v1.0', 'refs/pr/7', 'release-2_b', 'a'.repeat(40), '0'])(
    'may name the revision %s',
    (revision) => {
      expect(asked({ revision }).revision).toBe(revision);
    },
  );

  it('is refused when it has an unknown field', () => {
    const { code, text } = refusal({ repo_id: 'acme/tiny', file: ['*.onnx'] });
    expect(code).toBe('field-invalid');
    for (const each of [text.en, text.zh]) expect(each).toMatch(/"file".*repo_id, source, files, revision/);
  });
});
