import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseRepoId } from './repo-id.ts';

const honest = [
  'owner/name',
  'Owner/Name',
  'a/b',
  '0/1',
  'openai/whisper-large-v3',
  'BAAI/bge-m3',
  'sentence-transformers/all-MiniLM-L6-v2',
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B',
  'a_b/c_d_',
  'owner/name.v1.0',
  'owner/a-b_c.d',
  'owner/contest',
  'owner/console',
  'owner/auxiliary',
  'owner/git',
  'owner/mygit',
  `${'a'.repeat(96)}/${'b'.repeat(96)}`,
];

const hostile = [
  '',
  '/',
  '//',
  'owner',
  'owner/',
  '/name',
  '/owner/name',
  'owner/name/',
  'owner//name',
  'owner/name/more',
  'a/b/c',
  '.',
  '..',
  './name',
  '../name',
  'owner/.',
  'owner/..',
  '../..',
  '../../etc',
  'owner/../etc',
  '..%2f..%2fetc',
  'owner%2fname',
  'owner/name%00',
  'owner/a..b',
  'a..b/name',
  'owner/name..',
  'owner/...',
  '.owner/name',
  'owner/.name',
  '-owner/name',
  'owner/-name',
  '_owner/name',
  'owner/_name',
  'owner./name',
  'owner/name.',
  'owner-/name',
  'owner/name-',
  'a--b/c',
  'a/b--c',
  'a--/b',
  'owner/name.git',
  'owner.git/name',
  'owner/name.GIT',
  'con/name',
  'owner/CON',
  'owner/nul',
  'owner/aux.txt',
  'prn/name',
  'com1/name',
  'owner/LPT9',
  'owner/com1.bin',
  'owner\\name',
  'owner/na\\me',
  'C:/name',
  'owner/C:',
  'owner/name:stream',
  'owner /name',
  'owner/ name',
  ' owner/name',
  'owner/name ',
  'owner/na me',
  'owner/name\n',
  '\nowner/name',
  'owner/na\tme',
  'owner/na\0me',
  'owner/名字',
  '所有者/name',
  'owner/ñame',
  'ｏwner/name',
  'owner\u2215name',
  'owner\uFF0Fname',
  'owner/na\u200Bme',
  'owner/name?x',
  'owner/name#x',
  'owner/name*',
  'owner/na|me',
  'owner/"name"',
  'owner/<name>',
  'owner/$HOME',
  'owner/~',
  '~/name',
  'owner/`id`',
  'owner/name;rm',
  'owner@host/name',
  'https://huggingface.co/owner/name',
  'models--owner--name',
  `${'a'.repeat(97)}/name`,
  `owner/${'b'.repeat(97)}`,
  'x'.repeat(100_000),
];

describe('a repo_id', () => {
  it.each(honest)('may be %s', (text) => {
    const [owner, name] = text.split('/');
    expect(parseRepoId(text)).toEqual({ owner, name });
  });

  it('is tested with at least sixty hostile forms', () => {
    expect(new Set(hostile).size).toBeGreaterThanOrEqual(60);
  });

  it.each(hostile.map((text) => [text.length > 60 ? `${text.slice(0, 60)}…` : text, text]))(
    'cannot be %j',
    (_name, text) => {
      expect(parseRepoId(text)).toBeNull();
    },
  );

  it('is always two safe path segments, for arbitrary input', () => {
    const text = fc.oneof(
      fc.uint16Array().map((units) => String.fromCharCode(...units)),
      fc.array(fc.constantFrom(...'abc.-_/%\\ '), { maxLength: 12 }).map((parts) => parts.join('')),
      fc.tuple(fc.string(), fc.string()).map((parts) => parts.join('/')),
    );
    fc.assert(
      fc.property(text, (sent) => {
        const repo = parseRepoId(sent);
        if (repo === null) return;
        expect(`${repo.owner}/${repo.name}`).toBe(sent);
        for (const part of [repo.owner, repo.name]) expect(part).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
        expect(sent).not.toMatch(/\.\.|--/);
      }),
      { numRuns: 1000 },
    );
  });
});
