import { expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import type { Script } from '../scripts/script.ts';
import { freeName, longestToolName, toolName } from './tool-name.ts';

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
const named = (name: string | null, fields: Partial<Script> = {}) => {
  const script = someScript({ id, name: 'Resize', ...fields });
  return { ...script, mcp: { ...script.mcp, name } };
};

it.each([
  ['the name of the manifest', named('resize_images'), 'resize', 'resize_images'],
  ['the slug', named(null), 'resize', 'resize'],
  ['the slug with digits for a Chinese name', named(null, { name: '整理' }), 'zheng-li', 'zheng-li-2f0c5c'],
  ['the declared slug of a Chinese name', named(null, { name: '整理', wantedSlug: 'tidy' }), 'tidy', 'tidy'],
  ['a shortened slug with digits', named(null), 'a'.repeat(60), `${'a'.repeat(41)}-2f0c5c`],
  ['digits instead of the prefix of Hob', named('hob_find'), 'resize', 'find-2f0c5c'],
])('is %s', (_title, script, slug, expected) => {
  const name = toolName(script, slug);
  expect(name).toBe(expected);
  expect(name.length).toBeLessThanOrEqual(longestToolName);
});

it.each([
  ['as it is', [], 'resize'],
  ['with digits of the id', ['resize'], 'resize-2f0c5c'],
  ['with more digits', ['resize', 'resize-2f0c5c', 'resize-2f0c5c5'], 'resize-2f0c5c5e'],
])('is free %s', (_title, taken, expected) => {
  expect(freeName('resize', id, (name) => !taken.includes(name))).toBe(expected);
});

it('is free with all digits in a long name', () => {
  const name = freeName('a'.repeat(48), id, () => false);
  expect(name).toBe(`${'a'.repeat(15)}-${id.replaceAll('-', '')}`);
});
