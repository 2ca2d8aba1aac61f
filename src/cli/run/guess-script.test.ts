import { expect, it } from 'vitest';

import { guessScript } from './guess-script.ts';

const known = [
  { id: 'aaaa0000-0000-4000-8000-000000000001', name: 'Resize images' },
  { id: 'bbbb0000-0000-4000-8000-000000000002', name: 'resize videos' },
  { id: 'cccc0000-0000-4000-8000-000000000003', name: '整理下载' },
  { id: 'dddd0000-0000-4000-8000-000000000004', name: 'Resize' },
];

it.each([
  ['Resize', 3],
  ['RESIZE', 3],
  ['resize IMAGES', 0],
  ['video', 1],
  ['下载', 2],
  ['bbbb', 1],
])('%s finds a script', (wanted, index) => {
  expect(guessScript(known, wanted)).toBe(known[index]);
});

it('lists all matches if there are several, and picks none', () => {
  expect(() => guessScript(known, 'size ')).toThrow(/aaaa0000 {2}Resize images\n.*resize videos\n.*Resize$/);
  expect(() => guessScript(known, '')).toThrow();
  expect(() => guessScript(known, 'Resice')).toThrow(/Resize/);
});
