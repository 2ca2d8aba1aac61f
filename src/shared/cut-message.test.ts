import { expect, it } from 'vitest';

import { cutMessage } from './cut-message.ts';

it('a message is cut where it gets too long, never through a character, and it shows', () => {
  expect(cutMessage('x'.repeat(1000))).toBe('x'.repeat(1000));
  expect(cutMessage('x'.repeat(1001))).toBe(`${'x'.repeat(999)}…`);
  expect(cutMessage(`${'x'.repeat(998)}😀x`)).toBe(`${'x'.repeat(998)}…`);
});
