import { describe, expect, it } from 'vitest';

import { isInScope, relationTo, type Scope } from './scope.ts';

const scope: Scope = { path: '/in', recursive: false, filters: [], after: 'leave' };

describe('the files that a folder trigger is about', () => {
  it.each<[string, boolean, Partial<Scope>?]>([
    ['/in/a.txt', true],
    ['/in/中文 a', true],
    ['/in/a.PART', false],
    ['/in/a.crdownload', false],
    ['/in/a.tmp', false],
    ['/in/a.download', false],
    ['/in/a.txt~', false],
    ['/in/.a.txt', false],
    ['/in/~$letter.docx', false],
    ['/in/Thumbs.db', false],
    ['/in/sub/a.txt', false],
    ['/in/sub/a.txt', true, { recursive: true }],
    ['/in/.git/a.txt', false, { recursive: true }],
    ['/in/film.download/a.mp4', false, { recursive: true }],
    ['/in/done/a.txt', true, { recursive: true }],
    ['/in/sub/done/a.txt', false, { recursive: true, after: 'move' }],
    ['/in/failed/a.txt', false, { recursive: true, after: 'move' }],
    ['/in/a.MP4', true, { filters: ['.mp4'] }],
    ['/in/a.tar.gz', true, { filters: ['.tar.gz'] }],
    ['/in/a.gz', false, { filters: ['.tar.gz'] }],
    ['/in/mp4', false, { filters: ['.mp4'] }],
    ['/inbox/a.txt', false],
    ['/a.txt', true, { path: '/' }],
  ])('%s: %s %j', (path, expected, changes = {}) => {
    expect(isInScope(path, { ...scope, ...changes })).toBe(expected);
  });
});

describe('a folder in which others write', () => {
  it.each<[string, Partial<Scope>, ReturnType<typeof relationTo>]>([
    ['/in', {}, 'inside'],
    ['/in/deep/er', { path: '/in/deep/er/still' }, 'inside'],
    ['/in/deep', { recursive: true }, 'around'],
    ['/in/deep', { path: '/', recursive: true }, 'around'],
    ['/in/deep', {}, null],
    ['/in/.hidden/deep', { recursive: true }, null],
    ['/inner', { recursive: true }, null],
    ['/in', { path: '/inner' }, null],
  ])('%s is compared with a trigger about %j: %s', (folder, changes, expected) => {
    expect(relationTo(folder, { ...scope, ...changes })).toBe(expected);
  });
});
