import { expect, it } from 'vitest';

import { ExactNumber, exactText, parseExactly } from './exact-json.ts';

it('writes numbers that JavaScript cannot hold as they were read', () => {
  const value = {
    id: new ExactNumber('12345678901234567890'),
    text: '"',
    ids: [new ExactNumber('-99999999999999999999')],
  };
  expect(exactText(value)).toBe(
    '{\n  "id": 12345678901234567890,\n  "text": "\\"",\n  "ids": [\n    -99999999999999999999\n  ]\n}',
  );
});

it('leaves everything else as it is', () => {
  const value = { text: '1234567890123456789', number: 1.5, tiny: 1e-21, none: null };
  expect(parseExactly(JSON.stringify(value))).toEqual(value);
  expect(exactText(value)).toBe(JSON.stringify(value, null, 2));
});
