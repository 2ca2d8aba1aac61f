import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { projectRoot } from '../support/hob.ts';

const images = join(projectRoot, 'docs', 'images');

async function pages(): Promise<string[]> {
  const documentation = (await readdir(join(projectRoot, 'docs'))).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', 'README.zh-CN.md', ...documentation.map((name) => join('docs', name))];
  return Promise.all(paths.map((path) => readFile(join(projectRoot, path), 'utf8')));
}

it('the repository has exactly the pictures that its pages show, and at most 2 MB of them', async () => {
  const shown = (await pages()).flatMap((text) =>
    [...text.matchAll(/\]\((?:docs\/)?images\/([^)]+)\)/g)].map(([, name]) => name),
  );
  const names = await readdir(images);
  expect(names.sort()).toEqual([...new Set(shown)].sort());
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(images, name))).size));
  expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(2_000_000);
});
