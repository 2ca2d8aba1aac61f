import { describe, expect, it } from 'vitest';

import { findScripts } from './find-scripts.ts';
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
