import { expect, it } from 'vitest';

import { cutMessage } from './cut-message.ts';

it('a message is cut between characters', () => {
  expect(cutMessage('x'.repeat(1000))).toHaveLength(1000);
  expect(cutMessage('x'.repeat(1001))).toHaveLength(1000);
  expect(cutMessage(`${'x'.repeat(999)}😀`)).toBe('x'.repeat(999));
});
