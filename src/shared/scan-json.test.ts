import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Member, scanJson } from './scan-json.ts';

const scan = (text: string) => scanJson(Buffer.from(text), [], () => {});

/** The reported members, as texts. */
function members(text: string, names: readonly string[]): [key: string, value: string][] {
  const bytes = Buffer.from(text);
  const found: Member[] = [];
  scanJson(bytes, names, (member) => found.push(member));
  return found.map(({ key, valueStart, valueEnd }) => [key, bytes.toString('utf8', valueStart, valueEnd)]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const harmless = (text: string) => !/__proto__|constructor|prototype|\d[eE]/.test(text);

describe('JSON text that is scanned without being parsed', () => {
  it('is accepted when JSON.parse accepts it, and its value is located inside surrounding white space', () => {
    const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t') });
    fc.assert(
      fc.property(fc.json(), space, space, fc.nat(3), (json, before, after, indent) => {
        fc.pre(harmless(json));
        const value = JSON.stringify(JSON.parse(json), null, indent);
        const kind = value.startsWith('{') ? 'object' : 'other';
        const start = before.length;
        const end = start + Buffer.byteLength(value);
        expect(scan(before + value + after)).toEqual({ kind, start, end });
      }),
    );
  });

  it('is malformed exactly when JSON.parse rejects it, after any change', () => {
    const scrap = fc.constantFrom(
      ...'{}[]",:\\ \n0123-+.eEutrfalsn',
      'true',
      'null',
      '"a":',
      '\\u00e9',
      '\0',
      '好',
    );
    const damaged = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), scrap);
    const texts = fc.oneof(
      fc.string({ unit: scrap, maxLength: 12 }),
      damaged.map(([json, at, dropped, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + dropped);
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(harmless(text) && Buffer.from(text).toString() === text);
        expect(scan(text).kind === 'malformed').toBe(!isJson(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '[1,]',
    '[1}',
    '{"a":1]',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '1e+',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12"',
    '"\t"',
    '"',
    'tru',
    'nul',
    'True',
    'NaN',
    '{}{}',
    '[] x',
    "{'a':1}",
    '{a:1}',
    '//x\n1',
    '\uFEFF1',
    '\u00a01',
  ])('is malformed when it is %j', (text) => {
    expect(isJson(text)).toBe(false);
    expect(scan(text)).toEqual({ kind: 'malformed', at: expect.any(Number) });
  });

  it('may have at most 64 levels, and is not read beyond that', () => {
    expect(scan('['.repeat(64) + ']'.repeat(64))).toMatchObject({ kind: 'other' });
    expect(scan('['.repeat(65) + ']'.repeat(65))).toEqual({ kind: 'hazard', hazard: { kind: 'depth' } });
    expect(scan('{"a":'.repeat(1_000_000))).toEqual({ kind: 'hazard', hazard: { kind: 'depth' } });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('may not have the key %s in any spelling', (key) => {
    const escaped = [...key].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('');
    for (const spelling of [key, escaped, key.replace('o', '\\u006f')]) {
      // Also where a parser drops it, in the first of two equal keys.
      for (const text of [
        `{"${spelling}":1}`,
        `[[{"a":{"${spelling}":{}}}]]`,
        `{"a":{"${spelling}":1},"a":2}`,
      ])
        expect(scan(text)).toEqual({ kind: 'hazard', hazard: { kind: 'key', key } });
    }
    expect(scan(`{"a":"${key}","x${key}":1}`)).toMatchObject({ kind: 'object' });
  });

  it('may not have a number that a parser would read as infinite', () => {
    for (const number of ['1e400', '-1e400', '1E+309', `1${'0'.repeat(309)}`, `-${'9'.repeat(400)}.5`])
      expect(scan(`{"a":[${number}]}`)).toMatchObject({ kind: 'hazard', hazard: { kind: 'number' } });
    expect(scan('[1e400]')).toEqual({ kind: 'hazard', hazard: { kind: 'number', text: '1e400' } });
    for (const number of [
      '1e308',
      '-1.7976931348623157e308',
      '1e-400',
      '0e999',
      '9007199254740993',
      '9'.repeat(308),
    ])
      expect(scan(`[${number}]`)).toMatchObject({ kind: 'other' });
  });
});

describe('the members of an object', () => {
  it('are reported by name on the outermost level, each occurrence', () => {
    const text = ' { "code" : 1 , "x" : {"code":2}, "\\u0063ode":[3, {"msg":4}],"msg":"好","code":-5e1 } ';
    expect(members(text, ['code', 'msg'])).toEqual([
      ['code', '1'],
      ['code', '[3, {"msg":4}]'],
      ['msg', '"好"'],
      ['code', '-5e1'],
    ]);
  });

  it('are empty in a list, or in an empty object', () => {
    expect(members('[{"code":1}]', ['code'])).toEqual([]);
    expect(members('{}', ['code'])).toEqual([]);
  });
});
