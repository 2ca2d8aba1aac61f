import { describe, expect, it } from 'vitest';

import { findProblems } from './scripts-page.tsx';

const problem = (file: string, message: string) =>
  ({ severity: 'error', file, line: 1, message, advice: 'Mend it.' }) as const;

const all = [
  problem('/home/ann/scripts/crop/script.toml', 'This is not valid TOML'),
  problem('/home/ann/scripts/tidy/script.toml', 'Hob does not know the language "cobol"'),
];

describe('findProblems', () => {
  it('matches every word in the folder, the file or the message', () => {
    expect(findProblems(all, 'CROP')).toEqual(all.slice(0, 1));
    expect(findProblems(all.slice(0, 1), 'crop')).toEqual(all.slice(0, 1));
    expect(findProblems(all, 'tidy cobol')).toEqual(all.slice(1));
    expect(findProblems(all, 'crop cobol')).toEqual([]);
    expect(findProblems(all, 'script.toml')).toEqual(all);
    expect(findProblems(all, '')).toEqual(all);
  });

  it('does not match the common parent folder', () => {
    expect(findProblems(all, 'ann')).toEqual([]);
  });
});
