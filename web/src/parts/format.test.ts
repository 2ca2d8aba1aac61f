import { expect, it } from 'vitest';

import { rateText } from './format.ts';

it.each([
  [0, 0, null],
  [0, 9, '0%'],
  [9, 9, '100%'],
  [1, 3, '33%'],
  [1, 1000, '< 1%'],
  [9999, 10_000, '99.9%'],
  [9934, 10_000, '99.3%'],
])('%i of %i is %s', (part, whole, text) => {
  expect(rateText(part, whole)).toBe(text);
});
