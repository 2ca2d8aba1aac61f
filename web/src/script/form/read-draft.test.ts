import fc from 'fast-check';
import { expect, it } from 'vitest';

import { jsonFault } from './read-draft.ts';

it('accepts valid JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
      expect(jsonFault(JSON.stringify(JSON.parse(text), null, indent))).toBe(null);
    }),
  );
});

it('agrees with JSON.parse on changed texts', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', 'x', '\n', "'"), (text, at, put) => {
      const place = at % (text.length + 1);
      const changed = text.slice(0, place) + put + text.slice(place + 1);
      expect(jsonFault(changed) === null).toBe(isJson(changed));
    }),
  );
});

it.each([
  ['{"a": 1,}', { line: 1, column: 9, isEnd: false }],
  ["{\n  'a': 1\n}", { line: 2, column: 3, isEnd: false }],
  ['{"键": [1, 2}', { line: 1, column: 12, isEnd: false }],
  ['{"a": ', { line: 1, column: 7, isEnd: true }],
  ['{"a": 01}', { line: 1, column: 8, isEnd: false }],
])('finds the position of the error in %j', (text, fault) => {
  expect(jsonFault(text)).toEqual(fault);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
