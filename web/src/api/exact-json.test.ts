import { expect, it } from 'vitest';

import { ExactNumber, exactText, parseExactly } from './exact-json.ts';

it('writes integers beyond the safe range with their original digits', () => {
  const value = {
    id: new ExactNumber('12345678901234567890'),
    text: '"',
    ids: [new ExactNumber('-99999999999999999999')],
  };
  expect(exactText(value)).toBe(
    '{\n  "id": 12345678901234567890,\n  "text": "\\"",\n  "ids": [\n    -99999999999999999999\n  ]\n}',
  );
});

it('keeps all other values unchanged', () => {
  const value = { text: '1234567890123456789', number: 1.5, tiny: 1e-21, none: null };
  expect(parseExactly(JSON.stringify(value))).toEqual(value);
  expect(exactText(value)).toBe(JSON.stringify(value, null, 2));
});
