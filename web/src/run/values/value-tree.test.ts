import { expect, it } from 'vitest';

import { columnsOf, isPath } from './value-tree.tsx';

it('recognizes absolute paths of all systems only', () => {
  for (const path of ['/tmp/a.png', '/home/ada/图片/a b.png', 'C:\\Users\\ada', 'd:/x', '\\\\server\\share'])
    expect([path, isPath(path)]).toEqual([path, true]);
  for (const text of [
    '',
    '/',
    '//host',
    'a/b',
    'http://x/y',
    '/a\n/b',
    'C:',
    './x',
    '~',
    `/${'x'.repeat(5000)}`,
  ])
    expect([text, isPath(text)]).toEqual([text, false]);
});

it('shows a list of similar items as a table', () => {
  expect(
    columnsOf([
      { a: 1, b: 'x' },
      { a: 2, b: null },
    ]),
  ).toEqual(['a', 'b']);
  for (const list of [
    [],
    [{ a: 1 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: [1] }],
    [{ a: 1 }, { a: 'x'.repeat(201) }],
    [{}, {}],
    [1, 2],
    { a: 1 },
  ])
    expect(columnsOf(list)).toBeNull();
});
