import { describe, expect, it } from 'vitest';

import { isSlug, slugFrom } from './slug.ts';

describe('slugFrom', () => {
  it.each([
    ['Resize images', 'resize-images'],
    ['  Größe & Über_maß!  ', 'grosse-uber-mass'],
    ["Don't panic", 'dont-panic'],
    ['ｆｕｌｌ　ｗｉｄｔｈ', 'full-width'],
    ['v2.0 (beta)', 'v2-0-beta'],
    ['tu pian suo fang', 'tu-pian-suo-fang'],
  ])('makes a slug from %s', (name, slug) => {
    expect(slugFrom(name)).toBe(slug);
  });

  it.each([['Привет'], ['😀'], ['---'], [''], ['2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11']])(
    'makes no slug from %s',
    (name) => {
      expect(slugFrom(name)).toBeNull();
    },
  );

  it('cuts a long name at a hyphen', () => {
    expect(slugFrom('word '.repeat(40))).toBe('word-word-word-word-word-word-word-word-word');
    expect(slugFrom('x'.repeat(200))).toBe('x'.repeat(48));
  });
});

describe('isSlug', () => {
  it.each(['a', 'resize-images', '7zip', 'a--b', 'x'.repeat(64)])('accepts %s', (slug) => {
    expect(isSlug(slug)).toBe(true);
  });

  it.each([
    '',
    '-a',
    'a-',
    'Resize',
    'a_b',
    'a b',
    '图片',
    'x'.repeat(65),
    '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
  ])('refuses %s', (slug) => {
    expect(isSlug(slug)).toBe(false);
  });
});
