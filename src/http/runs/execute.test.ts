import { expect, it } from 'vitest';

import { originOf, readIdempotencyKey } from './execute.ts';

const read = (...keys: string[]) =>
  readIdempotencyKey({ headersDistinct: keys.length === 0 ? {} : { 'idempotency-key': keys } });

it('accepts any visible ASCII characters as a key, unchanged', () => {
  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));
  for (const key of ['a', visible, 'x'.repeat(255), '"quoted"']) expect(read(key)).toBe(key);
  expect(read()).toBeNull();
});

it.each([
  [''],
  ['x'.repeat(256)],
  ['two words'],
  ['tab\tbed'],
  ['é'],
  ['中文'],
  ['\x7f'],
  ['a\n'],
  ['a', 'a'],
  ['a', 'b'],
])('refuses an invalid or repeated key: %j %j', (...keys) => {
  const refused = expect(() => read(...keys));
  refused.toThrow(expect.objectContaining({ code: 'idempotency-key-invalid' }));
  refused.toThrow(/once and consist of 1 to 255 visible ASCII characters/);
});

it.each(['console', 'cli', 'menu', 'shortcut'])('accepts the origin %s from a header', (origin) => {
  expect(originOf({ headers: { 'x-hob-origin': origin } })).toBe(origin);
});

it.each(['schedule', 'webhook', 'link', 'mcp', 'hob', 'Menu', '', undefined])(
  'ignores the origin %s, which no caller can claim',
  (origin) => {
    expect(originOf({ headers: { 'x-hob-origin': origin } })).toBe('execute');
  },
);
