import { describe, expect, it } from 'vitest';

import { farthestByte, parseRange } from './output.ts';

describe('a Range header', () => {
  it.each([
    ['bytes=0-0', { kind: 'from', first: 0, last: 0 }],
    ['bytes=5-', { kind: 'from', first: 5, last: null }],
    ['bytes=5-90', { kind: 'from', first: 5, last: 90 }],
    ['Bytes= 5-90 ', { kind: 'from', first: 5, last: 90 }],
    ['bytes=-7', { kind: 'end', count: 7 }],
    ['bytes=-0', { kind: 'end', count: 0 }],
    ['bytes=1-99999999999999999999', { kind: 'from', first: 1, last: farthestByte }],
  ])('selects one range of bytes: %s', (header, range) => {
    expect(parseRange(header, false)).toEqual(range);
  });

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=9-5',
    'bytes=0-1,5-6',
    'bytes=0-1, bytes=5-6',
    'lines=0-5',
    'bytes=a-b',
    'bytes=1.5-2',
    'bytes=--5',
    'bytes=+1-5',
  ])('is ignored when it is not a single valid range of bytes: %s', (header) => {
    expect(parseRange(header, false)).toBeNull();
  });

  it('is ignored when the request has If-Range', () => {
    expect(parseRange('bytes=0-5', true)).toBeNull();
  });
});
