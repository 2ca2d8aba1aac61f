import Type from 'typebox';
import { describe, expect, it } from 'vitest';

import { fieldsAtFault, QueryFields } from './fields.ts';

const known = Type.Object({ field: Type.Integer({ minimum: 1, maximum: 9, default: 1 }) });
const read = (value: unknown) => new QueryFields({ field: value }, known);

describe('a query field', () => {
  it('is refused when it is unknown or given twice', () => {
    expect(() => new QueryFields({ other: '1' }, known)).toThrow(
      'Unknown query field "other". Known fields: field',
    );
    expect(() => new QueryFields({ other: '1' }, Type.Object({}))).toThrow(
      'Unknown query field "other". This path has no query fields',
    );
    expect(() => read(['a', 'b'])).toThrow('given once');
  });

  it('is refused with correct Chinese spacing', () => {
    expect(() => read('0').integer('field')).toThrow(
      expect.objectContaining({ text: expect.objectContaining({ zh: 'field 应为 1 到 9 的整数' }) }),
    );
  });

  it('that is empty counts as absent', () => {
    expect(read('').text('field')).toBeNull();
  });

  it('is refused when it contains NUL', () => {
    expect(read('a\n"b').text('field')).toBe('a\n"b');
    expect(() => read('a\0b').text('field')).toThrow(expect.objectContaining({ code: 'field-invalid' }));
  });

  it('is a list of ids in lower case, without duplicates', () => {
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
    ['2026-02-31', 'a day that does not exist'],
    ['2026-02-29T12:00:00Z', 'February 29 in a year that is not a leap year'],
    ['2026-13-01', 'a month that does not exist'],
    ['2026-05-01T25:00:00Z', 'an hour that does not exist'],
    ['9999-12-31T23:59:59-23:00', 'after year 9999, which does not sort as text'],
    ['0000-01-01T00:00:00+23:00', 'before year 0000'],
    ['yesterday', 'a word'],
  ])('is refused as a time: %s, %s', (text) => {
    expect(() => read(text).time('field')).toThrow('a time such as');
  });
});

describe('the fields at fault in a body', () => {
  const schema = Type.Object({ text: Type.String(), count: Type.Optional(Type.Integer({ minimum: 1 })) });

  it('are those that are missing or invalid, once each', () => {
    expect(fieldsAtFault(schema, {})).toEqual(['text']);
    expect(fieldsAtFault(schema, { text: 1, count: 0.5 }).sort()).toEqual(['count', 'text']);
    expect(fieldsAtFault(schema, { text: '' })).toEqual([]);
  });
});
