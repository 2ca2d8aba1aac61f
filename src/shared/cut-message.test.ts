import { expect, it } from 'vitest';

import { cutMessage } from './cut-message.ts';

it('a long message is cut between characters and ends with an ellipsis', () => {
  expect(cutMessage('x'.repeat(1000))).toBe('x'.repeat(1000));
  expect(cutMessage('x'.repeat(1001))).toBe(`${'x'.repeat(999)}…`);
  expect(cutMessage(`${'x'.repeat(998)}😀x`)).toBe(`${'x'.repeat(998)}…`);
});
