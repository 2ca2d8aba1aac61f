import { describe, expect, it } from 'vitest';

import { splitQueries } from './split-queries.ts';

describe('splitQueries', () => {
  it('leaves what asks nothing in one piece', () => {
    expect(splitQueries('\x1b[31m中文\x1b[0m\n', 7)).toEqual([
      { text: '\x1b[31m中文\x1b[0m\n', endBytes: 23, isQuery: false },
    ]);
    expect(splitQueries('', 7)).toEqual([]);
  });

  it.each([
    ['where the cursor is', '\x1b[6n'],
    ['where it is, the other way', '\x1b[?6n'],
    ['what it is', '\x1b[c'],
    ['which version it is', '\x1b[>0c'],
    ['whether something is switched on', '\x1b[?2026$p'],
    ['the ground', '\x1b]11;?\x07'],
    ['a colour', '\x1b]4;12;?\x1b\\'],
    ['the style of the cursor', '\x1bP$q q\x1b\\'],
  ])('cuts around a question for %s, in bytes', (_what, asked) => {
    const bytes = asked.length;
    expect(splitQueries(`中${asked}b${asked}`, 100)).toEqual([
      { text: '中', endBytes: 103, isQuery: false },
      { text: asked, endBytes: 103 + bytes, isQuery: true },
      { text: 'b', endBytes: 104 + bytes, isQuery: false },
      { text: asked, endBytes: 104 + 2 * bytes, isQuery: true },
    ]);
  });

  it('gives the same place the same number, however the output comes', () => {
    const whole = splitQueries('abc\x1b[6ndef\x1b[6n', 0).map(({ endBytes }) => endBytes);
    const later = splitQueries('def\x1b[6n', 7).map(({ endBytes }) => endBytes);
    expect(whole.at(-1)).toBe(later.at(-1));
  });
});
