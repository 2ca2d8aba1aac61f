import { expect, it } from 'vitest';

import { tomlText } from './health-page.tsx';

it.each([
  [9527, '9527'],
  [false, 'false'],
  ['', '""'],
  ['say "hi"', '"say \\"hi\\""'],
  [['127.0.0.1', '::1'], '["127.0.0.1", "::1"]'],
  [[], '[]'],
])('%j is written as %s', (value, text) => {
  expect(tomlText(value)).toBe(text);
});
