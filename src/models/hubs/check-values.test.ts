import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findClash, foldsCase, isSafePath } from './check-values.ts';

describe('a path from a server', () => {
  it.each([
    'a',
    'a/b.txt',
    '.gitattributes',
    'a b/c d',
    '模型/文件.bin',
    'e\u0301',
    'a..b',
    '...x',
    'x'.repeat(240),
  ])('may be %s', (path) => {
    expect(isSafePath(path)).toBe(true);
  });

  it('never leads out of its folder, for arbitrary input', () => {
    const parts = fc.constantFrom('..', '.', '', 'a', 'con', '\\', '/', ' ', 'b.', '\u0000', '%2e%2e', 'é');
    const text = fc.oneof(
      fc.array(parts, { maxLength: 8 }).map((some) => some.join('/')),
      fc.array(parts, { maxLength: 8 }).map((some) => some.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (path) => {
        if (!isSafePath(path)) return;
        const url = new URL(`file:///base/${path.split('/').map(encodeURIComponent).join('/')}`);
        expect(url.pathname.startsWith('/base/')).toBe(true);
        for (const name of path.split('/')) expect(['', '.', '..']).not.toContain(name);
        expect(path).not.toMatch(/[\\\p{Cc}]/u);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('conflicting paths', () => {
  it('are found only on disks that ignore case and normalization', () => {
    for (const paths of [
      ['README.md', 'readme.md'],
      ['é.txt', 'e\u0301.txt'],
      ['A', 'a/b'],
    ]) {
      expect(findClash(paths, { foldsCase: true })).not.toBeNull();
      expect(findClash(paths, { foldsCase: false })).toBeNull();
    }
    expect([foldsCase('darwin'), foldsCase('win32'), foldsCase('linux')]).toEqual([true, true, false]);
  });

  it('do not include paths with a common prefix', () => {
    expect(findClash(['a', 'ab/c', 'a.b/c', 'b/a'], { foldsCase: true })).toBeNull();
  });
});
