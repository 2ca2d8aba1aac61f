import { expect, it } from 'vitest';

import { pickScript, shortId } from './pick-script.ts';

const known = [
  { id: 'cafe0000-8f43-4b0e-9d0e-3f2d6a1f7c11', name: 'beef' },
  { id: 'beef0000-8f43-4b0e-9d0e-3f2d6a1f7c12', name: '图片' },
  { id: 'beef1111-8f43-4b0e-9d0e-3f2d6a1f7c13', name: '图片' },
];

it('finds a script by id, by id prefix or by exact name, which comes before a prefix', () => {
  expect(pickScript(known, 'CAFE0000-8F43-4b0e-9d0e-3f2d6a1f7c11')).toBe(known[0]);
  expect(pickScript(known, 'beef1')).toBe(known[2]);
  expect(pickScript(known, 'beef')).toBe(known[0]);
});

it('refuses an ambiguous name and lists the matching ids', () => {
  expect(() => pickScript(known, '图片')).toThrow(
    /^Several scripts are named "图片"\. Use one of these ids: beef0000.*beef1111/,
  );
  expect(() => pickScript(known.slice(1), 'beef')).toThrow(/^Several script ids begin with beef\./);
  for (const wanted of ['caf', '', 'Node', '图', 'cafe%', '\u001b[2J'])
    expect(() => pickScript(known, wanted)).toThrow(/^No script has/);
});

it('shortens an id to its unique prefix', () => {
  const ids = known.map(({ id }) => id);
  expect(ids.map((id) => shortId(id, ids))).toEqual(['cafe0000', 'beef0000', 'beef1111']);
  expect(shortId('beef0000-8', ['beef0000-8', 'beef0000-9'])).toBe('beef0000-8');
  expect(shortId('short', ['short'])).toBe('short');
});
