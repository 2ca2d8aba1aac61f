import { describe, expect, it } from 'vitest';

import { kindText, limitsText, objectsIn, propertiesOf } from './read-schema.ts';

const say = (en: string) => en;
const object = { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: {} } };

describe('the text for a schema', () => {
  it.each([
    [{ type: 'string', format: 'uuid' }, 'string (uuid)'],
    [{ enum: ['own', 'extra'] }, '"own" | "extra"'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number or null'],
    [{}, 'any'],
  ])('%j is %s', (schema, words) => {
    expect(kindText(schema, say)).toBe(words);
  });

  it('names limits and defaults', () => {
    expect(limitsText({ minimum: 1, maximum: 500, default: 50 }, say)).toBe('1 to 500 · default 50');
    expect(limitsText({ maxLength: 200 }, say)).toBe('at most 200 characters');
    expect(limitsText({ default: '' }, say)).toBe('default ""');
    expect(limitsText({}, say)).toBe('');
  });

  it('finds nested objects in arrays, alternatives and maps', () => {
    const nested = { anyOf: [{ type: 'array', items: object }, { type: 'null' }] };
    expect(objectsIn(nested)).toEqual([object]);
    expect(objectsIn({ type: 'object', additionalProperties: object })).toEqual([object]);
    expect(objectsIn({ type: 'object', additionalProperties: {} })).toEqual([]);
    expect(propertiesOf(object).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });
});
