import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findJsonHazard, isJsonObject, maxJsonDepth } from './json.ts';

const nest = (depth: number, open: string, close: string) =>
  JSON.parse(open.repeat(depth) + close.repeat(depth));

describe('a JSON object', () => {
  it('is neither a list nor null nor a primitive value', () => {
    for (const value of [{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__":1}')])
      expect(isJsonObject(value)).toBe(true);
    for (const value of [[], null, undefined, 'text', 1, true]) expect(isJsonObject(value)).toBe(false);
  });
});

describe('a hazard in a document', () => {
  it('does not exist in a normal document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify(value)));
        expect(findJsonHazard(value)).toBeUndefined();
      }),
    );
  });

  it('is a depth of more than 64, in lists and objects alike', () => {
    expect(maxJsonDepth).toBe(64);
    expect(findJsonHazard(nest(64, '[', ']'))).toBeUndefined();
    expect(findJsonHazard(nest(65, '[', ']'))).toEqual({ kind: 'depth' });
    expect(findJsonHazard(JSON.parse(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`))).toBeUndefined();
    expect(findJsonHazard(JSON.parse(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`))).toEqual({ kind: 'depth' });
  });

  it('is found at a depth that exceeds the stack', () => {
    expect(findJsonHazard(nest(1_000_000, '[', ']'))).toEqual({ kind: 'depth' });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('is the key %s at any position', (key) => {
    for (const text of [`{"${key}":1}`, `[{"a":{"${key}":{}}}]`, `{"a":[0,[{"${key}":null}]]}`])
      expect(findJsonHazard(JSON.parse(text))).toEqual({ kind: 'key', key });
  });

  it.each(['1e400', '[0,-1e400]', '{"a":[{"b":1e400}],"c":1}', `[1${'0'.repeat(400)}]`])(
    'is a number beyond the range of a double: %.30s',
    (text) => {
      expect(findJsonHazard(JSON.parse(text))).toEqual({ kind: 'number' });
    },
  );

  it('is neither the largest nor the smallest number', () => {
    expect(findJsonHazard([Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -0])).toBeUndefined();
  });

  it('is neither the word as a value nor a similar key', () => {
    expect(findJsonHazard({ a: '__proto__', b: ['constructor'], proto: 1, Constructor: 2 })).toBeUndefined();
  });
});
