import { describe, expect, it } from 'vitest';
import { findProblems, inOrder } from './scripts-page.tsx';
import { someScript } from './some-script.ts';

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

const order = { favourites: new Set<string>(), lastRuns: new Map(), tag: 'en' };

describe('the order of scripts', () => {
  it('is by name, with numeric comparison', () => {
    const scripts = ['Part 10', 'Part 9', 'other', 'Part 182', 'Part 1819'].map((name) => someScript(name));
    expect(inOrder(scripts, order).map(({ name }) => name)).toEqual([
      'other',
      'Part 9',
      'Part 10',
      'Part 182',
      'Part 1819',
    ]);
  });

  it('starts with favourites, then recently run scripts', () => {
    const scripts = ['a', 'b', 'c', 'd'].map((name) => someScript(name, { id: name }));
    const ran = (id: string, queued_at: string) =>
      [id, { run_id: id, state: 'succeeded', end_cause: 'exit', queued_at, duration_ms: 1 }] as const;
    const lastRuns = new Map([ran('b', '2026-05-01T12:00:00.000Z'), ran('c', '2026-05-01T12:00:00.001Z')]);
    const found = inOrder(scripts, { ...order, favourites: new Set(['d']), lastRuns });
    expect(found.map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a']);
  });
});
