import { describe, expect, it } from 'vitest';
import { cutToWidth, formatCount, padToWidth, printable, widthOf, wrapText } from './text.ts';

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['图片放大', 8],
    ['한국어', 6],
    ['ＡＢ', 4],
    ['（好）', 6],
    ['é', 1],
    ['e\u0301', 1],
    ['a\u200bb', 2],
    ['🎉', 2],
    ['𠀀', 2],
    ['[==>  ]', 7],
  ])('of %j is %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('limits a cut, which never splits a character', () => {
    expect(cutToWidth('图片放大', 8)).toBe('图片放大');
    expect(cutToWidth('图片放大', 7)).toBe('图片...');
    expect(cutToWidth('图片放大', 6)).toBe('图...');
    expect(cutToWidth('abcdef', 5)).toBe('ab...');
    expect(cutToWidth('abcdef', 2)).toBe('..');
    expect(cutToWidth('abcdef', 0)).toBe('');
  });

  it('is padded on either side', () => {
    expect(padToWidth('图', 4)).toBe('图  ');
    expect(padToWidth('图', 4, 'right')).toBe('  图');
    expect(padToWidth('图片', 2)).toBe('图片');
  });
});

it('control characters are replaced', () => {
  expect(printable('a\u001b[2Jb\u0007\r\n\u009bc\u202ed')).toBe('a?[2Jb??\n?c?d');
  expect(printable('图片 é')).toBe('图片 é');
});

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

it('uses the singular for 1', () => {
  expect([formatCount(1, 'file'), formatCount(0, 'file')]).toEqual(['1 file', '0 files']);
});
