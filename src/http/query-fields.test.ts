import { describe, expect, it } from 'vitest';

import { QueryFields } from './query-fields.ts';

const read = (value: unknown) => new QueryFields({ field: value }, ['field']);

describe('a field of a query', () => {
  it('is refused when nobody knows it, or when it comes twice', () => {
    expect(() => new QueryFields({ other: '1' }, ['field'])).toThrow(
      'Unknown query field "other". Known fields: field',
    );
    expect(() => new QueryFields({ other: '1' }, [])).toThrow(
      'Unknown query field "other". This path has no query fields',
    );
    expect(() => read(['a', 'b'])).toThrow('given once');
  });

  it('is refused in good Chinese, too', () => {
    expect(() => read('0').integer('field', { from: 1, to: 9, fallback: 1 })).toThrow(
      expect.objectContaining({ text: expect.objectContaining({ zh: 'field 应为 1 到 9 的整数' }) }),
    );
  });

  it('that is empty counts as absent', () => {
    expect(read('').text('field')).toBeNull();
  });

  it('is a text without NUL, which no text on record has', () => {
    expect(read('a\n"b').text('field')).toBe('a\n"b');
    expect(() => read('a\0b').text('field')).toThrow(expect.objectContaining({ code: 'field-invalid' }));
  });

  it('is a list of ids, each of them once, in lower case', () => {
    const [a, b] = ['6b1c7a52-5f0e-4a53-9b34-d3f2f1f0a001', '6b1c7a52-5f0e-4a53-9b34-d3f2f1f0a002'];
    expect(read(`${a}, ${b.toUpperCase()},${a}`).uuids('field')).toEqual([a, b]);
    expect(read('').uuids('field')).toBeNull();
    expect(() => read(`${a},`).uuids('field')).toThrow('one or more UUIDs');
  });

  it.each([
    ['2026-05-01', '2026-05-01T00:00:00.000Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2026-05-01T12:00:00.5+02:00', '2026-05-01T10:00:00.500Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('is a time: %s', (text, time) => {
    expect(read(text).time('field')).toBe(time);
  });

  it.each([
    ['2026-02-31', 'a day that there is not'],
    ['2026-02-29T12:00:00Z', 'a day that only other years have'],
    ['2026-13-01', 'a month that there is not'],
    ['2026-05-01T25:00:00Z', 'an hour that there is not'],
    ['9999-12-31T23:59:59-23:00', 'beyond the years of four digits, which do not sort'],
    ['0000-01-01T00:00:00+23:00', 'before them'],
    ['yesterday', 'a word'],
  ])('is no time: %s, %s', (text) => {
    expect(() => read(text).time('field')).toThrow('a time such as');
  });
});
