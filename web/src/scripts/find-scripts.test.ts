import { describe, expect, it } from 'vitest';

import { findProblems, findScripts, inOrder } from './find-scripts.ts';
import { someScript } from './some-script.ts';

const all = [
  someScript('Photo album'),
  someScript('Résumé to PDF'),
  someScript('整理下载', { desc: '按类型分类' }),
  someScript('Album of photos', { id: 'aa11' }),
];
const namesOf = (query: string) => findScripts(all, query).map(({ name }) => name);

describe('findScripts', () => {
  it('matches parts of names, and sorts names that start with the query first', () => {
    expect(namesOf('album')).toEqual(['Album of photos', 'Photo album']);
  });

  it('ignores case, accents and width', () => {
    expect(namesOf('resume ＰＤＦ')).toEqual(['Résumé to PDF']);
  });

  it('requires every word, in any order', () => {
    expect(namesOf('photo album')).toEqual(['Photo album', 'Album of photos']);
    expect(namesOf('photo pdf')).toEqual([]);
  });

  it('matches descriptions and the start of ids', () => {
    expect(namesOf('类型')).toEqual(['整理下载']);
    expect(namesOf('AA1')).toEqual(['Album of photos']);
  });

  it('matches the start of slugs before descriptions', () => {
    const some = [someScript('A', { desc: 'no zheng' }), someScript('整图', { slug: 'zheng-tu' })];
    expect(findScripts(some, 'ZHENG').map(({ name }) => name)).toEqual(['整图', 'A']);
  });

  it('matches the folder and its group, but not the common parent folder', () => {
    const some = ['/home/ann/hob/scripts/media/crop', '/home/ann/hob/scripts/tidy', 'C:\\hob\\packages\\ocr'];
    const foldersOf = (folders: readonly string[], query: string) =>
      findScripts(
        folders.map((folder) => someScript('x', { folder })),
        query,
      ).map(({ folder }) => folder);
    expect(foldersOf(some, 'ann')).toEqual([]);
    expect(foldersOf(some, 'media')).toEqual(some.slice(0, 1));
    expect(foldersOf(some, 'ocr')).toEqual(some.slice(2));
    expect(foldersOf(some.slice(0, 2), 'scripts')).toEqual([]);
    expect(foldersOf(some.slice(0, 2), 'tidy')).toEqual(some.slice(1, 2));
    expect(foldersOf(some.slice(1, 2), 'tidy')).toEqual(some.slice(1, 2));
  });

  it('returns all scripts in order for an empty query', () => {
    expect(namesOf('  ')).toEqual(all.map(({ name }) => name));
  });
});

const problem = (file: string, message: string) =>
  ({ severity: 'error', file, line: 1, message, advice: 'Mend it.' }) as const;

const allProblems = [
  problem('/home/ann/scripts/crop/script.toml', 'This is not valid TOML'),
  problem('/home/ann/scripts/tidy/script.toml', 'Hob does not know the language "cobol"'),
];

describe('findProblems', () => {
  it('matches every word in the folder, the file or the message', () => {
    expect(findProblems(allProblems, 'CROP')).toEqual(allProblems.slice(0, 1));
    expect(findProblems(allProblems.slice(0, 1), 'crop')).toEqual(allProblems.slice(0, 1));
    expect(findProblems(allProblems, 'tidy cobol')).toEqual(allProblems.slice(1));
    expect(findProblems(allProblems, 'crop cobol')).toEqual([]);
    expect(findProblems(allProblems, 'script.toml')).toEqual(allProblems);
    expect(findProblems(allProblems, '')).toEqual(allProblems);
  });

  it('does not match the common parent folder', () => {
    expect(findProblems(allProblems, 'ann')).toEqual([]);
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
