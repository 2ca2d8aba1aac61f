import { expect, it } from 'vitest';
import { guessScript, nearestName, pickScript, shortId } from './find-script.ts';

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

const withSlugs = [
  { id: 'aaaa0000-0000-4000-8000-000000000001', slug: 'resize', name: 'resize' },
  { id: 'aaaa0000-0000-4000-8000-000000000002', slug: 'resize-2', name: 'resize' },
  { id: 'aaaa0000-0000-4000-8000-000000000003', slug: 'cafe', name: '咖啡' },
  { id: 'cafe0000-0000-4000-8000-000000000004', slug: 'tool', name: 'beef' },
  { id: 'aaaa0000-0000-4000-8000-000000000005', slug: 'beef', name: 'Tools' },
];

it.each([
  ['resize', 0],
  ['resize-2', 1],
  ['cafe', 2],
  ['tool', 3],
])('finds a script by its slug %s', (wanted, index) => {
  expect(pickScript(withSlugs, wanted)).toBe(withSlugs[index]);
  expect(guessScript(withSlugs, wanted)).toBe(withSlugs[index]);
});

it('guesses a slug in other case', () => {
  expect(guessScript(withSlugs, 'RESIZE-2')).toBe(withSlugs[1]);
  expect(() => pickScript(withSlugs, 'RESIZE-2')).toThrow('No script has');
});

it('refuses a word that is the slug of one script and the name of another', () => {
  expect(() => guessScript(withSlugs, 'beef')).toThrow(
    '"beef" is the slug of one script and the name of another. Use one of these: beef (aaaa0000-0000-4000-8000-000000000005), tool (cafe0000)',
  );
});

it('refuses an ambiguous name and lists the slugs and ids', () => {
  expect(() => pickScript(known, '图片')).toThrow(
    'Several scripts are named "图片". Use one of these: beef0000, beef1111',
  );
  const named = known.slice(1).map((script, index) => ({ ...script, slug: `tu-pian-${index + 1}` }));
  expect(() => guessScript(named, '图片')).toThrow(
    'Several scripts are named "图片". Use one of these: tu-pian-1 (beef0000), tu-pian-2 (beef1111)',
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

it.each([
  ['coutn', 'count'],
  ['Quality', 'quality'],
  ['qualty', 'quality'],
  ['图片缩小', '图片缩放'],
  ['zebra', null],
  ['x', null],
])('for %s suggests %s', (wanted, meant) => {
  expect(nearestName(wanted, ['quality', 'count', '图片缩放'])).toBe(meant);
});

const scripts = [
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
  expect(guessScript(scripts, wanted)).toBe(scripts[index]);
});

it('lists all matches if there are several, and picks none', () => {
  expect(() => guessScript(scripts, 'size ')).toThrow(
    /aaaa0000 {2}Resize images\n.*resize videos\n.*Resize$/,
  );
  expect(() => guessScript(scripts, '')).toThrow();
  expect(() => guessScript(scripts, 'Resice')).toThrow(/Resize/);
});
