import { expect, it } from 'vitest';

import { styleOfText } from './output-chapter.tsx';
import { styleAfter } from './text-style.ts';

function look(codes: string) {
  const style = styleAfter(null, codes);
  if (style === null) throw new Error(`${codes} is plain`);
  return styleOfText(style);
}

it('takes the first 16 colours from the theme', () => {
  expect(look('31')).toEqual({ color: 'var(--ansi-1)' });
  expect(look('1;4;9;92')).toEqual({
    color: 'var(--ansi-10)',
    fontWeight: 600,
    textDecoration: 'underline line-through',
  });
  expect(look('2')).toEqual({ color: 'var(--muted)' });
});

it('adjusts other colours to the theme, unless they have their own background', () => {
  expect(look('38;5;208')).toEqual({ color: 'oklch(from rgb(255 135 0) var(--ansi-lightness) c h)' });
  expect(look('38;5;232')).toEqual({ color: 'oklch(from rgb(8 8 8) var(--ansi-lightness) c h)' });
  expect(look('38;2;1;2;3;48;2;250;251;252')).toEqual({
    color: 'rgb(1 2 3)',
    backgroundColor: 'rgb(250 251 252)',
  });
});

it('is readable on every background', () => {
  expect(look('41;37')).toEqual({ backgroundColor: 'var(--ansi-1)', color: 'var(--surface)' });
  expect(look('48;5;226')).toEqual({ backgroundColor: 'rgb(255 255 0)', color: 'black' });
  expect(look('48;2;0;0;90;97')).toEqual({ backgroundColor: 'rgb(0 0 90)', color: 'white' });
  expect(look('7')).toEqual({ backgroundColor: 'var(--ink)', color: 'var(--surface)' });
  expect(look('7;32')).toEqual({ backgroundColor: 'var(--ansi-2)', color: 'var(--surface)' });
});
