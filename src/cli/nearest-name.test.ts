import { expect, it } from 'vitest';

import { nearestName } from './nearest-name.ts';

it.each([
  ['coutn', 'count'],
  ['Quality', 'quality'],
  ['qualty', 'quality'],
  ['图片缩小', '图片缩放'],
  ['zebra', null],
  ['x', null],
])('for %s suggests %s', (wanted, meant) => {
  expect(nearestName(wanted, ['quality', 'count', '图片缩放'])).toBe(meant);
});
