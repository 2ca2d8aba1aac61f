import { expect, it } from 'vitest';

import { packageFileName } from './pack.ts';

it.each([
  ['Resize images', '1.0.0', 'Resize-images-1.0.0.zip'],
  ['图片放大 🖼', null, '图片放大-🖼.zip'],
  ['../../etc/passwd', '1', 'etc-passwd-1.zip'],
  ['a\\b:c*d?"e<f>g|h', '2', 'a-b-c-d-e-f-g-h-2.zip'],
  ['.hidden. ', null, 'hidden.zip'],
  ['con', null, 'script-con.zip'],
  ['con', '1', 'con-1.zip'],
  ['...', null, 'script.zip'],
  ['tab\tand\u202eturn\u0000', 'v 1', 'tab-and-turn-v-1.zip'],
  ["it's $HOME `x`", null, 'it-s-HOME-x.zip'],
  ['e\u0301', null, '\u00e9.zip'],
])('names the package of %j %j %s', (name, version, file) => {
  expect(packageFileName({ name, version })).toBe(file);
});

it('cuts a long name between characters', () => {
  const file = packageFileName({ name: '图'.repeat(500), version: '1' });
  expect(Buffer.byteLength(file)).toBeLessThanOrEqual(204);
  expect(file).toMatch(/^图+\.zip$/);
});
