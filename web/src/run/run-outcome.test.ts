import { expect, it } from 'vitest';

import { plainText } from './run-outcome.tsx';

it('is the visible text', () => {
  expect(plainText('\u001b[31mno such file\u001b[0m: a.txt\n10%\r100%\u001b[K\n')).toBe(
    'no such file: a.txt\n100%',
  );
});

it('is empty for a full-screen program', () => {
  expect(plainText('\u001b[?1049h\u001b[1;1H~\n~\n~')).toBe('');
});
