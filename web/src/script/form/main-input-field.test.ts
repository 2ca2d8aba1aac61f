import { expect, it } from 'vitest';

import { readDrop } from './main-input-field.tsx';

const files = (count: number): FileList => Object.assign(Object.create(null), { length: count });
const drop = (data: Record<string, string>, count = 0) =>
  readDrop({ getData: (type) => data[type] ?? '', files: files(count) });

it('reads the paths that a file manager passes', () => {
  const list = '# copied\r\nfile:///home/ada/a%20b.png\r\nfile:///C:/%E5%9B%BE.png\r\n';
  expect(drop({ 'text/uri-list': list, 'text/plain': 'x' })).toEqual({
    kind: 'lines',
    lines: ['/home/ada/a b.png', 'C:\\图.png'],
  });
});

it('reads text line by line', () => {
  expect(drop({ 'text/plain': ' a\n\nb ' })).toEqual({ kind: 'lines', lines: ['a', 'b'] });
  const address = 'https://example.org/';
  expect(drop({ 'text/uri-list': address, 'text/plain': address })).toEqual({
    kind: 'lines',
    lines: [address],
  });
});

it('recognizes files without a path', () => {
  expect(drop({}, 2)).toEqual({ kind: 'placeless' });
  expect(drop({})).toEqual({ kind: 'nothing' });
});
