import { describe, expect, it } from 'vitest';

import type { FolderEntry } from '../api/wire.ts';
import {
  canPick,
  countNotShown,
  crumbsOf,
  folderOf,
  pathIn,
  startAt,
  visibleEntries,
  wantedBy,
} from './pick.ts';

const entry = (name: string, kind: FolderEntry['kind'] = 'file'): FolderEntry => ({
  name,
  kind,
  link: false,
  hidden: name.startsWith('.'),
  size: null,
  modified: null,
});
const all = [
  entry('photos', 'folder'),
  entry('.cache', 'folder'),
  entry('a.PNG'),
  entry('b.txt'),
  entry('tty', 'other'),
];

describe('canPick', () => {
  it.each([
    ['files', ['a.PNG', 'b.txt']],
    ['folders', ['photos', '.cache']],
    ['both', ['photos', '.cache', 'a.PNG', 'b.txt']],
    [null, ['photos', '.cache', 'a.PNG', 'b.txt']],
  ])('allows what pick = %j says', (pick, names) => {
    const wanted = wantedBy(pick, [], false);
    expect(all.filter((each) => canPick(each, wanted)).map(({ name }) => name)).toEqual(names);
  });

  it('accepts extensions with and without dot, asterisk, spaces and capitals', () => {
    for (const exts of [['.png'], ['png'], ['*.PNG'], [' .Png ']]) {
      const wanted = wantedBy('files', exts, false);
      expect(all.filter((each) => canPick(each, wanted)).map(({ name }) => name)).toEqual(['a.PNG']);
    }
    expect(canPick(entry('x.tar.gz'), wantedBy('files', ['.tar.gz'], false))).toBe(true);
    expect(wantedBy('files', ['*', ''], false).exts).toEqual([]);
  });
});

describe('visibleEntries', () => {
  const wanted = wantedBy('files', ['.png'], false);
  const names = (sight: Partial<Parameters<typeof visibleEntries>[2]>) =>
    visibleEntries(all, wanted, { filter: '', showHidden: false, showOthers: false, ...sight }).map(
      ({ name }) => name,
    );

  it('shows folders and entries that can be chosen', () => {
    expect(names({})).toEqual(['photos', 'a.PNG']);
    expect(names({ showOthers: true })).toEqual(['photos', 'a.PNG', 'b.txt', 'tty']);
    expect(names({ showHidden: true })).toEqual(['photos', '.cache', 'a.PNG']);
  });

  it('filters by name, and a leading dot shows hidden entries', () => {
    expect(names({ filter: 'png' })).toEqual(['a.PNG']);
    expect(names({ filter: '.c' })).toEqual(['.cache']);
  });
});

describe('countNotShown', () => {
  const plain = { filter: '', showHidden: false, showOthers: false };
  const more = [...all, entry('.a.png'), entry('.profile')];

  it('counts hidden entries and other types whose names match the filter', () => {
    const pictures = wantedBy('files', ['.png'], false);
    expect(countNotShown(more, pictures, plain)).toEqual({ hidden: 2, others: 3 });
    expect(countNotShown(more, pictures, { ...plain, showHidden: true })).toEqual({ hidden: 0, others: 3 });
    expect(countNotShown(more, pictures, { ...plain, showOthers: true })).toEqual({ hidden: 2, others: 1 });
    expect(countNotShown(more, pictures, { ...plain, filter: 'png' })).toEqual({ hidden: 1, others: 0 });
    expect(countNotShown(more, pictures, { ...plain, filter: '.a' })).toEqual({ hidden: 0, others: 0 });
    expect(countNotShown(more, wantedBy('folders', [], false), plain)).toEqual({ hidden: 1, others: 5 });
  });
});

describe('paths', () => {
  it('are joined and split, on POSIX and on Windows', () => {
    expect(pathIn('/', 'a', '/')).toBe('/a');
    expect(pathIn('C:\\x', 'a', '\\')).toBe('C:\\x\\a');
    expect(crumbsOf('/home/ada', ['/'], '/').map(({ path }) => path)).toEqual(['/', '/home', '/home/ada']);
    expect(crumbsOf('D:\\a\\b', ['C:\\', 'D:\\'], '\\').map(({ path }) => path)).toEqual([
      'D:\\',
      'D:\\a',
      'D:\\a\\b',
    ]);
  });

  it('have a parent folder', () => {
    expect(folderOf('/home/ada/a.png')).toBe('/home/ada');
    expect(folderOf('/a.png')).toBe('/');
    expect(folderOf('C:\\a\\b.png')).toBe('C:\\a');
    expect(folderOf('C:\\b.png')).toBe('C:\\');
    expect(folderOf('~/x')).toBe('~');
    expect(folderOf('some text')).toBe(null);
    expect(folderOf('')).toBe(null);
  });

  it('determine the folder in which browsing starts', () => {
    expect(startAt('/home/ada/a.png', wantedBy('files', [], true))).toBe('/home/ada');
    expect(startAt('/home/ada', wantedBy('folders', [], true))).toBe('/home/ada');
    expect(startAt('~/x', wantedBy('both', [], true))).toBe('~/x');
    expect(startAt('git@host:repo', wantedBy('both', [], true))).toBe(null);
  });
});
