import { expect, it } from 'vitest';

import { styleAfter } from './text-style.ts';

it('supports 16, 256 and 24-bit colours', () => {
  expect(styleAfter(null, '31;102')).toMatchObject({ ink: 1, ground: 10 });
  expect(styleAfter(null, '38;5;208')).toMatchObject({ ink: 208 });
  expect(styleAfter(null, '48;2;1;20;255;1')).toMatchObject({ ground: [1, 20, 255], isBold: true });
  expect(styleAfter(null, '38:2::9:8:7')).toMatchObject({ ink: [9, 8, 7] });
  expect(styleAfter(null, '38:5:9')).toMatchObject({ ink: 9 });
});

it('supports all attributes and their resets', () => {
  const all = styleAfter(null, '1;2;3;4;7;9');
  expect(all).toMatchObject({
    isBold: true,
    isDim: true,
    isItalic: true,
    isUnderlined: true,
    isInverse: true,
    isStruck: true,
  });
  expect(styleAfter(all, '22;23;24;27;29')).toBeNull();
  expect(styleAfter(all, '')).toBeNull();
  expect(styleAfter(styleAfter(null, '31;44'), '39')).toMatchObject({ ink: null, ground: 4 });
  expect(styleAfter(null, '4:3')).toMatchObject({ isUnderlined: true });
  expect(styleAfter(styleAfter(null, '4'), '4:0')).toBeNull();
});

it('ignores invalid codes', () => {
  for (const codes of ['38', '38;5', '38;5;300', '38;2;1;2', '38;9', '73', ':', 'x'])
    expect(styleAfter(null, codes)).toBeNull();
});
