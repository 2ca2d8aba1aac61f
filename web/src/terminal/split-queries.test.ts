import { describe, expect, it } from 'vitest';

import { splitQueries } from './split-queries.ts';

describe('splitQueries', () => {
  it('keeps output without queries in one part', () => {
    expect(splitQueries('\x1b[31m中文\x1b[0m\n', 7)).toEqual([
      { text: '\x1b[31m中文\x1b[0m\n', endBytes: 23, isQuery: false },
    ]);
    expect(splitQueries('', 7)).toEqual([]);
  });

  it.each([
    ['the cursor position', '\x1b[6n'],
    ['the cursor position (DEC)', '\x1b[?6n'],
    ['the device attributes', '\x1b[c'],
    ['the version', '\x1b[>0c'],
    ['a mode', '\x1b[?2026$p'],
    ['the background', '\x1b]11;?\x07'],
    ['a colour', '\x1b]4;12;?\x1b\\'],
    ['the cursor style', '\x1bP$q q\x1b\\'],
  ])('splits around a query for %s, with byte offsets', (_what, asked) => {
    const bytes = asked.length;
    expect(splitQueries(`中${asked}b${asked}`, 100)).toEqual([
      { text: '中', endBytes: 103, isQuery: false },
      { text: asked, endBytes: 103 + bytes, isQuery: true },
      { text: 'b', endBytes: 104 + bytes, isQuery: false },
      { text: asked, endBytes: 104 + 2 * bytes, isQuery: true },
    ]);
  });

  it('gives a query the same offset, however the output is chunked', () => {
    const whole = splitQueries('abc\x1b[6ndef\x1b[6n', 0).map(({ endBytes }) => endBytes);
    const later = splitQueries('def\x1b[6n', 7).map(({ endBytes }) => endBytes);
    expect(whole.at(-1)).toBe(later.at(-1));
  });
});
