import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { forbiddenKeys } from './json.ts';
import { whereNotJson } from './scan-json.ts';

describe('the position where a text stops being JSON', () => {
  it.each([
    ['{"a": 1 "b"', 'line 1, column 9'],
    ['{"a": "\n"}', 'line 1, column 8'],
    ['hunter2', 'line 1, column 1'],
    ['{"token": hunter2}', 'line 1, column 11'],
    ['{"token": "x"} hunter2', 'line 1, column 16'],
    ["{'token': 'hunter2'}", 'line 1, column 2'],
    ['{"token": "\\hunter2"}', 'line 1, column 13'],
    ['{"token": "\\u12g4"}', 'line 1, column 16'],
    ['{\n  "中文😀": tru\n}', 'line 2, column 10'],
    ['{"a":1,}', 'line 1, column 8'],
    ['[01]', 'line 1, column 3'],
  ])('is described without quoting the text: %j', (text, place) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(whereNotJson(text)).toEqual({
      en: `: see ${place}`,
      zh: expect.stringMatching(/第 \d+ 行第 \d+ 列$/),
    });
  });

  it.each(['{"a":', '{"token": "hunter2', '[1, 2', '', '{"a": "\\'])(
    'is the end of a text that was cut off: %j',
    (text) => {
      expect(whereNotJson(text).en).toBe(': it ends too early');
    },
  );

  it('is found in every text that the parser rejects', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), (json, place, piece) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + piece + json.slice(at + 1);
        // A text that is refused for another reason is not read to its end.
        fc.pre(![...forbiddenKeys].some((key) => text.includes(key)) && !/\d\d\d|\\u/.test(text));
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(whereNotJson(text).en === '').toBe(isJson);
      }),
    );
  });
});
