import { expect, it } from 'vitest';

import { wrapText } from './wrap-text.ts';

it('wraps a text between words by display width', () => {
  expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapText('图片 放大 x', 6)).toEqual(['图片', '放大 x']);
  expect(wrapText('a /very/long/path/of/a/file b', 8)).toEqual(['a', '/very/long/path/of/a/file', 'b']);
  expect(wrapText('one\ntwo', 80)).toEqual(['one', 'two']);
  expect(wrapText('', 80)).toEqual(['']);
  expect(wrapText('数据目录（/a/b）只有自己可以访问。', 12)).toEqual([
    '数据目录',
    '（/a/b）只有',
    '自己可以访',
    '问。',
  ]);
  expect(wrapText('one two', Number.POSITIVE_INFINITY)).toEqual(['one two']);
});
